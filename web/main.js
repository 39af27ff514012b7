// The page of one recording: reads the data block and shows it.
import { mountViewer } from './viewer/viewer.js';

const block = /** @type {HTMLElement} */ (document.getElementById('data'));
const root = /** @type {HTMLElement} */ (document.getElementById('viewer'));
mountViewer(root, () => JSON.parse(block.textContent ?? ''), { hash: true });
