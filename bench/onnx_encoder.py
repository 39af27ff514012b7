"""Writes a Transformer encoder with random weights as ONNX, to compare with onnxruntime.

    onnx_encoder.py FILE SENTENCES LENGTH

6 layers, width 512, 8 heads, FFN 2048, vocabulary 32,000: what bench/decoding_bench.cpp measures.
"""
import sys

import torch


class Encoder(torch.nn.Module):
    def __init__(self, layers=6, width=512, heads=8, ffn=2048, vocabulary=32000):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, width)
        layer = torch.nn.TransformerEncoderLayer(width, heads, ffn, dropout=0.0, batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, ids):
        return self.layers(self.embedding(ids))


def main():
    path, sentences, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    ids = torch.full((sentences, length), 5, dtype=torch.int64)
    # PyTorch's fused layers for inference cannot be exported to ONNX; without dropout, those for
    # training compute the same.
    torch.onnx.export(Encoder().train(), ids, path, opset_version=14, input_names=["ids"],
                      output_names=["encoded"], training=torch.onnx.TrainingMode.PRESERVE,
                      do_constant_folding=False)


main()
