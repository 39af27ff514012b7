// heed in one header: attention, trained models, training runs.
//
// Everything is in the namespace heed. What fails throws heed::Error, which has a kind to switch on
// and one sentence to show; std::bad_alloc if memory runs out. Nothing is printed.
//
// Text in, text out
// - Translator: loads a model folder and translates, for any number of threads at once
// - score_lines: how likely a model finds given translations
//
// Language models and encoders
// - TextGenerator: texts and their continuations, on any number of threads at once
// - score_texts: how likely a language model finds given texts
// - SentenceEncoder: texts as vectors, with an encoder such as BERT (load_bert_folder)
//
// Training
// - train, TrainingRun: from files of sentence pairs to a model in its folder
// - set_setting: settings by their names, as the flags of `heed train` have them
//
// Attention
// - attend: queries, keys, values, scores and masks -> outputs and weights, with gradients
// - MultiHeadAttention: a layer with projections
// - KeyValueMemory: a dictionary with soft look-up
// - pooling, positions, scores that learn
//
// Looking into models
// - AttentionViewer: a translation, found or given, and what every head attends to
// - EncoderViewer: the same for the text that an encoder reads
// - record: the same for ids, with norms, importance and gradients
// - describe_heads: what each head does over a text
//
// Layers
// - Linear, Embedding, LayerNorm, FeedForward, Gru, Lstm
//
// Numbers
// - Tensor, Tape, Variable
//
// Pictures
// - HeatMapFigure: weights, for the terminal and as SVG
// - AttentionPage: every head, as a page that works offline
//
// Headers that are installed but not included here are what these need.
#pragma once

#include "heed/attention/attend.h"
#include "heed/attention/memory.h"
#include "heed/attention/multi_head.h"
#include "heed/attention/pooling.h"
#include "heed/attention/positions.h"
#include "heed/attention/score_layer.h"
#include "heed/autograd/arithmetic.h"
#include "heed/base/error.h"
#include "heed/decoding/head_table.h"
#include "heed/decoding/scoring.h"
#include "heed/decoding/sentence_vectors.h"
#include "heed/decoding/text_generator.h"
#include "heed/decoding/translator.h"
#include "heed/folders/bert_folder.h"
#include "heed/folders/model_folder.h"
#include "heed/layers/embedding.h"
#include "heed/layers/feed_forward.h"
#include "heed/layers/gru.h"
#include "heed/layers/initialisation.h"
#include "heed/layers/layer_norm.h"
#include "heed/layers/linear.h"
#include "heed/layers/lstm.h"
#include "heed/models/recording.h"
#include "heed/runs/attention_picture.h"
#include "heed/runs/attention_text.h"
#include "heed/runs/attention_view.h"
#include "heed/runs/encoder_view.h"
#include "heed/runs/evaluation.h"
#include "heed/runs/named_settings.h"
#include "heed/runs/training_run.h"
#include "heed/tensor/tensor.h"
#include "heed/visualisation/attention_page.h"
#include "heed/visualisation/heat_map_svg.h"
#include "heed/visualisation/heat_map_terminal.h"
