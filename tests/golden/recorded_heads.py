"""What every head of a model does with each sentence pair, for transformer.py and rnn.py.

Arrays are called "recorded.<pair>.<part>.<array>", where a part is encoder, decoder or cross:
  weights    (layers, heads, queries, keys)
  norms      the same: the length of what a key adds to the output of the attention
  gradients  the same: of the target's log-probability with respect to the weights; 0 where a query
             does not see a key
  gates      (layers, heads): of the target's log-probability with respect to a gate on the head
A row of the decoder and of cross belongs to the token that is predicted.
"""
import torch

PARTS = ("encoder", "decoder", "cross")


def part_of(name: str) -> str:
    if name.endswith("encoder_attn"):
        return "cross"
    return "decoder" if ".decoder." in name else "encoder"


class Heads:
    """Keeps what the attentions of a pass compute, in the order in which they are met."""

    def __init__(self):
        self.met = None  # nobody looks

    def attend(self, name, weights, values, output_weight, causal):
        """weights (heads, queries, keys), values (heads, keys, head width) -> (heads, queries, head
        width), through a gate of 1 on each head."""
        if self.met is None:
            return weights @ values
        weights.retain_grad()
        gates = torch.ones(len(weights), 1, 1, dtype=torch.float64, requires_grad=True)
        self.met.append((name, weights, values, output_weight, causal, gates))
        return gates * (weights @ values)


def norms(weights, values, output_weight):
    heads, keys, width = values.shape
    lengths = torch.zeros(heads, keys, dtype=torch.float64)
    for head in range(heads):
        for key in range(keys):
            value = values[head, key]
            if output_weight is not None:
                value = output_weight[:, head * width:(head + 1) * width] @ value
            lengths[head, key] = value.norm()
    return weights * lengths[:, None, :]


def arrays_of(weights, values, output_weight, causal, gates) -> dict:
    gradients = weights.grad
    if causal:
        gradients = gradients.tril()
    return {
        "weights": weights.detach(),
        "norms": norms(weights.detach(), values.detach(), output_weight),
        "gradients": gradients,
        "gates": gates.grad.reshape(-1),
    }


def joined_steps(met: list) -> list:
    """A recurrent network meets its attention once for each target token: these are rows of one."""
    _, _, values, output_weight, causal, _ = met[0]
    whole = torch.cat([step[1] for step in met], 1).detach()
    whole.grad = torch.cat([step[1].grad for step in met], 1)
    gates = torch.ones_like(met[0][5])
    gates.grad = sum(step[5].grad for step in met)
    return [(met[0][0], whole, values, output_weight, causal, gates)]


def record_heads(model, source, target) -> dict:
    arrays = {}
    for pair, (source_ids, target_ids) in enumerate(zip(source, target)):
        model.heads.met = []
        scores = torch.log_softmax(model.sentence(source_ids, target_ids), 1)
        scores[torch.arange(len(target_ids)), torch.tensor(target_ids)].sum().backward()
        met = model.heads.met
        if met and met[0][0] == "encoder_attn":
            met = joined_steps(met)
        for part in PARTS:
            layers = [arrays_of(*rest) for name, *rest in met if part_of(name) == part]
            for array in layers[0] if layers else ():
                arrays[f"recorded.{pair}.{part}.{array}"] = torch.stack(
                    [layer[array] for layer in layers]
                )
    model.heads.met = None
    return arrays
