"""What the paper's vague words are taken to mean: one figure each, the same everywhere."""

COMPARABLE_SHARES = 0.05
COMPARABLE_ERRORS = 0.02
COMPARABLE_REGRETS = 0.20
SIMILAR_SAVINGS = 0.05
NEARLY_ONE = 0.97
ONE_PULL = 1.2
LIMITED = 0.25
ROUNDING = 0.005
ABOUT_NINE_TENTHS = (0.85, 0.95)
START = 0.02
SCALING = 0.10

WORDS = {
    "shares": "two shares are comparable if they differ by less than 5 points",
    "errors": "two errors are comparable if they differ by less than 2 points",
    "regrets": "two regrets are comparable if they differ by less than a fifth",
    "savings": "two savings are similar if they differ by less than 5 points",
    "nearly one": "about 1 is at least 0.97",
    "one pull": "a single pull a round is at most 1.2 pulls, one more in five rounds",
    "limited": "limited is less than a quarter of the arms, over the first ten rounds",
    "rounding": "whole percents are meant to half a percent",
    "nine tenths": "about 0.9 is from 0.85 to 0.95",
    "start": "the first 2 % of the rounds, too few to be seen in a figure, are left out",
    "scaling": "two factors agree if they differ by less than a tenth",
}
