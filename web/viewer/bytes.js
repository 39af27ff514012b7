// Packed arrays of bytes: base64 text, compressed or not.

/** @param {string} text @returns {Uint8Array} */
export function fromBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/**
 * Undoes zlib's compression (RFC 1950).
 * @param {Uint8Array} bytes @returns {Promise<Uint8Array>}
 */
export async function inflate(bytes) {
  const stream = new Blob([/** @type {BlobPart} */ (bytes)])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {{packing: string, data: string}} block @returns {Promise<Uint8Array>} */
export async function unpack({ packing, data }) {
  const bytes = fromBase64(data);
  return packing === 'deflate' ? inflate(bytes) : bytes;
}
