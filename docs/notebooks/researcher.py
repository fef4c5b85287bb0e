# %% [markdown]
# # Compare agents: for researchers
#
# Ten options come one after the other, round after round. At each one an agent says *pull* or
# *pass*. We compare four agents, look at the numbers and at the curves, and then add an agent of
# our own.

# %%
import matplotlib.pyplot as plt

import spnb
from spnb.engine import sqrt

# %% [markdown]
# ## The problem
#
# The paper's random problems: in every run all means are new, and the best arm is ahead by 0.1. A
# problem shows itself as a table.

# %%
problem = spnb.Synthetic(arms=10)
problem

# %% [markdown]
# What one run faces is an ordinary problem with known means:

# %%
problem.instance(seed=1, run=0)

# %% [markdown]
# ## The comparison
#
# All agents face the same worlds. `TS` is Thompson sampling with one pull a round. `Seq(TS)` goes
# on in the same round after a pull. `Challenge` pulls the leader and whatever may still beat it.

# %%
agents = ["Once(Uniform)", "TS", "Seq(TS)", "Challenge"]
result = spnb.simulate(problem, agents, rounds=300, runs=40, seed=1)
result

# %% [markdown]
# The last column is the sharp one. It is the difference to the first agent, run by run, in the
# same world. Here it is for one pair, as a mean with its 95 % interval:

# %%
difference = result.paired("regret", "Challenge", "Seq(TS)")
print(difference)
print("clear" if difference.excludes_zero() else "not clear with so few runs")

# %% [markdown]
# ## Figures
#
# `plot` draws four panels and returns the figure. An agent that is far above all others leaves
# the frame, so that the rest can be read; `clip=False` keeps it in.

# %%
result.plot()

# %% [markdown]
# With `axes` the regret alone is drawn where you want it. On a logarithmic axis of rounds the
# lower bound for long runs is a straight line.

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
result.plot(axes=left, clip=False)
result.plot(axes=right, scale="log")
left.set_title("everything")
right.set_title("without the outlier")
plt.show()

# %% [markdown]
# ## Frames
#
# For any other analysis take the numbers as a data frame: a row for each agent, or a whole curve.

# %%
result.to_frame()[["agent", "regret", "regret_low", "regret_high"]].round(2)

# %%
curve = result.to_frame("regret")
curve.pivot(index="round", columns="agent", values="mean").loc[[10, 100, 300]].round(1)

# %% [markdown]
# ## Your own policy
#
# An index policy is one formula. Under `Seq` and `Challenge` it is an agent for this setting at
# once.


# %%
@spnb.register
class Optimist(spnb.IndexPolicy):
    """mean + 0.5 / sqrt(N)."""

    def index(self, pulls, sums, clock):
        return sums / pulls + 0.5 / sqrt(pulls)


spnb.simulate(problem, ["Seq(Optimist)", "Seq(TS)"], rounds=300, runs=40, seed=1)

# %% [markdown]
# ## Finding the best arm
#
# Another question: which arm is best, with a budget of 300 pulls? `Pack` needs far fewer rounds
# for it than one pull a round. So few runs cannot tell their errors apart. No agent here is told
# how hard the problem is.

# %%
found = spnb.identify(
    spnb.experiment(4), ["UCBE(c=2, plugin)", "SR+", "Pack(early)"], budget=300, runs=60, seed=1
)
found

# %%
found.plot()
