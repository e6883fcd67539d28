# One training step of paper B's classifier (Table 12) in PyTorch for each line on
# standard input: batch 100 of 64x64, Adam. Answers with the seconds it took.
import sys
import time

import torch
from torch import nn

torch.manual_seed(0)
layers, channels = [], 3
for out in (128, 128, 64, 64):
    layers += [nn.Conv2d(channels, out, 2, 2), nn.BatchNorm2d(out), nn.LeakyReLU(0.01), nn.Dropout(0.2)]
    channels = out
layers += [nn.Flatten(), nn.Linear(1024, 128), nn.LeakyReLU(0.01), nn.Dropout(0.5), nn.Linear(128, 2)]
net = nn.Sequential(*layers)
net.train()
optimizer = torch.optim.Adam(net.parameters(), lr=0.001)
loss = nn.CrossEntropyLoss()
x, y = torch.randn(100, 3, 64, 64), torch.randint(0, 2, (100,))


def step():
    optimizer.zero_grad()
    loss(net(x), y).backward()
    optimizer.step()


for _ in range(3):
    step()
print("torch", torch.__version__, "threads", torch.get_num_threads(), flush=True)
for _ in sys.stdin:
    start = time.perf_counter()
    step()
    print(time.perf_counter() - start, flush=True)
