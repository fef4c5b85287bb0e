"""What a reader of the reproduction should know beside its figures."""

SLIPS = (
    (
        "Offer index",
        "The arm offered at step t is printed as mod(t, K) + 1, which starts with the second arm; "
        "the first offer is the first arm.",
    ),
    (
        "Second regret formula",
        "The empirical regret is printed as T mu*/K minus the sum of the means pulled, which goes "
        "negative once several arms are pulled in a round. Used here, and in the authors' own "
        "code: the gap of every pull of another arm, plus mu* for every round that missed the "
        "best one.",
    ),
    ("Theorem 1", "The bound is printed with -C_i K; it should be -C_i ln K."),
    ("UCBE's error bound", "Printed without the minus sign: it is 2nK exp(-2a/25)."),
    ("Order of C_i", "'C_i is o(1)' should be O(1)."),
    (
        "Theorem 4",
        "With the budget given there the exponent is (2T - 1)/(2 K H2); the K is missing.",
    ),
    (
        "Algorithm S2",
        "The radius is printed as ln(t d^2)/(2t); Auer and Ortner's ln(tau d^2)/(2 n_m) is used "
        'here. UCBrev+(radius="printed") has the printed one.',
    ),
    (
        "Algorithm S3",
        "The phase index starts at n_0, which is not defined; the first phase ends after n_1.",
    ),
)

DIFFERENCES = (
    "The order of the arms in the synthetic problems is random here; the authors put the best arm "
    "first. --order authors repeats theirs.",
    "The full run plays the synthetic regret problems more often than the paper's 100 times, since "
    "the gain of Seq(bUCB) at K = 10 is too small to be told from chance by 100 runs.",
    "Every agent faces the same worlds, so differences are paired and their intervals are those of "
    "the differences.",
    "The advertising log and the water record of the paper may not be passed on. Without a file of "
    "your own the day of articles is made up, and the water tables are drawn from the rates of "
    "another drinking-water station.",
    "UCBE is told the hardness H1 of its problem. So it is in the paper; no live learner knows it.",
    "The lower bounds in the regret figures hold for long runs; early in a run, or where the arms "
    "are hard to tell apart, measured regret may lie below them.",
)
