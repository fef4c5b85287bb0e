# %% [markdown]
# # From a record to a decision: for practitioners
#
# A laboratory can take one sample of drinking water in each of twelve two-hour slots of a day. It
# wants to know in which slot the turbidity is most often above 0.3. A sensor has recorded thirty
# days. What does the record say? And how would the laboratory find out, if it had no sensor?

# %%
import csv
import math
import random
import tempfile
from pathlib import Path

import spnb
import spnb.plan
from spnb.problems.readers import Clock, Reward, read_series

# %% [markdown]
# ## The record
#
# This notebook makes a file of readings by itself. Put the name of your own file here instead.

# %%
folder = tempfile.TemporaryDirectory()
file = Path(folder.name) / "readings.csv"
dice = random.Random(8)
with file.open("w", newline="") as out:
    rows = csv.writer(out)
    rows.writerow(["time", "turbidity"])
    for day in range(1, 31):
        stirred = dice.random() < 0.6  # on such mornings the network is stirred up
        for minute in range(0, 24 * 60, 20):
            peak = math.exp(-(((minute / 60 - 8.5) / 1.5) ** 2)) if stirred else 0
            value = 0.2 + 0.14 * peak + dice.gauss(0, 0.1)
            stamp = f"2024-04-{day:02d}T{minute // 60:02d}:{minute % 60:02d}"
            rows.writerow([stamp, f"{value:.3f}"])

# %% [markdown]
# The readings of a slot become one value, their mean. The reward is 1 if it is above 0.3.

# %%
data = read_series(
    file, clock=Clock("time"), value="turbidity", reward=Reward(above=0.3), slot="2h"
)
data

# %% [markdown]
# ## How sure is the record?
#
# `facts` draws the thirty days anew, many times over, and counts how often each slot comes out
# best.

# %%
spnb.plan.facts(data, seed=1)

# %% [markdown]
# ## A plan
#
# Now suppose that there were no sensor. A sample costs 20, a day of waiting 10. Which way of
# sampling finds the best slot, how many days and samples does it take, and what does it cost? The
# plan tries agents on the record, beside what people do today. (So few runs are quick but rough;
# for a real decision leave `runs` out, which makes it 1000.)

# %%
costs = spnb.plan.Costs(pull=20, round=10)
plan = spnb.plan.plan(data, "best", confidence=0.95, costs=costs, runs=60, most=150, seed=1)
plan

# %%
plan.plot()

# %% [markdown]
# ## The campaign
#
# The campaign does it for real: at each slot you ask, and if the answer is pull you take a sample
# and tell its value. Here the record plays the part of the real world.

# %%
campaign = spnb.Campaign.create(
    f"sqlite:///{Path(folder.name) / 'water.db'}",
    "water",
    arms=data.arms,
    agent=plan.choice,
    goal="best",
    rounds=plan.budget(),
    pulls=plan.budget(),
    seed=1,
)
for day in range(1, plan.budget() + 1):
    for place, slot in enumerate(data.arms):
        decision = campaign.ask(slot, at=day)
        if decision.pull:
            campaign.tell(decision, reward=data.table[(day - 1) % len(data.table), place])
    if campaign.outline().state == "finished":
        break

# %% [markdown]
# A campaign shows itself as a table, too: what is known of each slot, with 95 % intervals, and
# the answer.

# %%
campaign

# %% [markdown]
# Nothing is lost on the way: every question, answer and reward is in a log, which can be
# replayed.

# %%
campaign.verify().ok

# %%
del campaign
folder.cleanup()
