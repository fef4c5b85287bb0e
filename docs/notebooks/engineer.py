# %% [markdown]
# # Learners in your own system: for platform engineers
#
# A shop can show its banner in the morning, at noon and in the evening. Which slot should it pay
# for? We test an agent in simulation and take the very same agent live. First we keep its state
# ourselves, between two requests. Then we leave that to a campaign in a database.

# %%
import json
import tempfile
from pathlib import Path

import spnb

slots = ["morning", "noon", "evening"]
market = spnb.Bernoulli((0.04, 0.12, 0.06))  # click rates; nobody knows them in real life
market

# %% [markdown]
# ## Test it first

# %%
agents = ["Once(Uniform)", "Seq(TS)", "Challenge"]
spnb.simulate(market, agents, rounds=365, runs=50, seed=7)

# %% [markdown]
# ## A learner is plain JSON
#
# `ask` answers one offer and changes nothing. `pulled` and `observe` are two events, since a
# reward may come much later. Between two events everything is in a small dictionary, random
# numbers included: keep it wherever you keep your data.

# %%
learner = spnb.Learner("Challenge", arms=len(slots), seed=7)
for arm, _ in enumerate(slots):
    if learner.ask(arm):
        learner.pulled(arm)
        learner.observe(arm, 1.0 if arm == 1 else 0.0)
learner.next_round()
learner

# %%
saved = json.dumps(learner.to_dict())
again = spnb.Learner.from_dict(json.loads(saved))
print(len(saved), "characters")
print([again.ask(arm) for arm, _ in enumerate(slots)])
assert again.to_dict() == learner.to_dict()

# %% [markdown]
# ## A campaign keeps it for you
#
# A campaign is a log and a snapshot in SQLite or PostgreSQL. Any number of processes may use it
# at the same time.

# %%
folder = tempfile.TemporaryDirectory()
store = f"sqlite:///{Path(folder.name) / 'shop.db'}"
campaign = spnb.Campaign.create(store, "banner", arms=slots, agent="Challenge", seed=7)
decision = campaign.ask("morning", at=1)
print(decision.pull, "-", decision.reason)

# %% [markdown]
# Networks fail, so requests are sent again. The same question gets the same answer, and a reward
# that is told twice counts once.

# %%
assert campaign.ask("morning", at=1) == decision
campaign.tell(decision, reward=0)
campaign.tell(decision, reward=0)

# %% [markdown]
# Another process opens the campaign by its name. Rewards may be counts: 7 clicks of 120
# impressions.

# %%
elsewhere = spnb.Campaign.open(store, "banner", actor="evening shift")
clicks = {"morning": 4, "noon": 13, "evening": 7}
for day in range(1, 15):
    for slot in slots:
        if (day, slot) == (1, "morning"):
            continue
        decision = elsewhere.ask(slot, at=day)
        if decision.pull:
            elsewhere.tell(decision, wins=clicks[slot], trials=120)
elsewhere

# %% [markdown]
# ## Check the log
#
# Every event carries a hash of itself and of the one before. `verify` replays the whole log from
# the seed and compares every decision.

# %%
verdict = elsewhere.verify()
print(verdict.ok, verdict.events, "events")

# %% [markdown]
# Over HTTP it is all the same: `spnb serve` is the service, and `spnb.Client` takes the place of
# the store.

# %%
del campaign, elsewhere
folder.cleanup()
