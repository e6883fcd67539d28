"""Releases the features of an input with the noise of CERTIFICATE.json.

    python3 release.py input.npy

The certificate is for inputs that are scaled and laid out so:

    scaling: {{scaling}}
    layout: {{layout}}

It needs numpy and onnxruntime. The noise is sampled exactly, in integers, with random bits of the
operating system (Canonne, Kamath, Steinke, arXiv:2004.00010).

The certificate is for a budget of {{budget}} for each subject. This file counts nothing: release an
input once, store the release, and send the stored one from then on. tattle guard serve does it.
"""

import math
import secrets
from fractions import Fraction

DELTA, SIGMA, CLIP = {{delta}}, {{sigma}}, {{clip}}
NORM = {{Norm}}  # whether CLIP is that of the Euclidean norm of all features
FEATURES = {{features}}
LOW, HIGH = {{low}}, {{high}}  # of the numbers of an input

N, D = ((Fraction(SIGMA) / Fraction(DELTA)) ** 2).as_integer_ratio()  # the square of sigma/delta
T = math.isqrt(N // D) + 1


def bernoulli_exp(a, b):
    """Returns True with probability exp(-a/b), for integers a >= 0 and b > 0."""
    while a > b:
        if not bernoulli_exp(1, 1):
            return False
        a -= b
    k = 1
    while secrets.randbelow(b * k) < a:
        k += 1
    return k % 2 == 1


def laplace():
    """Returns an integer y with probability proportional to exp(-|y|/T)."""
    while True:
        y = secrets.randbelow(T)
        if not bernoulli_exp(y, T):
            continue
        while bernoulli_exp(1, 1):
            y += T
        negative = secrets.randbelow(2) == 1
        if negative and y == 0:
            continue
        return -y if negative else y


def noise():
    """Returns an integer k with probability proportional to exp(-(k*DELTA)**2 / (2*SIGMA**2))."""
    while True:
        k = laplace()
        if bernoulli_exp((abs(k) * D * T - N) ** 2, 2 * N * D * T * T):
            return k


def release(front, x):
    """Returns the integers to be released for one input, of shape (1, ...)."""
    import numpy

    slack = 1e-5 * (HIGH - LOW) if math.isfinite(HIGH - LOW) else 0
    if not ((x >= LOW - slack) & (x <= HIGH + slack)).all():
        raise ValueError(f"an input is not from {LOW} to {HIGH}: scale it as the certificate says")
    shape = [1] + list(front.get_inputs()[1].shape[1:])
    drawn = numpy.array([noise() for _ in range(FEATURES)], dtype=numpy.int64).reshape(shape)
    released = front.run(["release"], {front.get_inputs()[0].name: x, "noise": drawn})[0]
    if released.shape != drawn.shape:
        raise ValueError("more than one input: release them one by one")
    points = (released - drawn).astype(float)  # the integer that stands for NaN has no absolute value
    beyond = (abs(points) > CLIP / DELTA).any()
    if beyond or NORM and (points**2).sum() > (CLIP / DELTA) ** 2:
        raise ValueError("a feature is not a number, or beyond the clip")
    return released


if __name__ == "__main__":
    import sys

    import numpy
    import onnxruntime

    front = onnxruntime.InferenceSession("front.onnx")
    head = onnxruntime.InferenceSession("head.onnx")
    released = release(front, numpy.load(sys.argv[1]).astype(numpy.float32))
    features = (released * DELTA).astype(numpy.float32)
    print(head.run(None, {head.get_inputs()[0].name: features})[0])
