/* The limit: the simulator's work in the plainest C, one run after another.
 * Every run plays Seq(policy) on one Bernoulli problem until `rounds` rounds are over: the policy
 * names a target, the target is pulled when it is offered, its reward is learnt, the next target
 * is named.  A round ends whenever the target does not lie ahead of the arm pulled last.
 *
 * Formulas stand as they are defined, draws are exact, nothing is shared between runs: this is what
 * a careful person writes first, not what a week of tuning could reach.  It keeps no curves; it
 * only counts the pulls of every arm, so that a caller can see that the work was done.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { UCB1 = 0, UCBE = 1, TS = 2 };

/* ---- random numbers -------------------------------------------------------------------------- */

#define GOLDEN 0x9E3779B97F4A7C15ULL
#define ROTL(x, k) (((x) << (k)) | ((x) >> (64 - (k))))

/* splitmix64's finaliser: a counter goes in, independent-looking bits come out. */
static inline uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

static inline double unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1.0p-53;
}

/* The reward of (run, round, arm) is a fixed function of the seed, as in the simulator. */
static inline double reward(uint64_t key, int64_t cell, double mean)
{
    return unit(mix(key + GOLDEN * (uint64_t)(cell + 1))) < mean ? 1.0 : 0.0;
}

/* xoshiro256++: the policy's own stream. */
typedef struct {
    uint64_t s[4];
} stream_t;

static void stream_seed(stream_t *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        r->s[i] = mix(seed += GOLDEN);
}

static inline uint64_t next(stream_t *r)
{
    uint64_t *s = r->s;
    const uint64_t out = ROTL(s[0] + s[3], 23) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = ROTL(s[3], 45);
    return out;
}

/* ---- normal, gamma, beta --------------------------------------------------------------------- */

/* Ziggurat of 256 layers of equal area (Marsaglia and Tsang 2000, in Doornik's form). */
#define LAYERS 256
#define TAIL 3.6541528853610088

static double edge[LAYERS + 1];
static double inside[LAYERS];

static void ziggurat_init(void)
{
    double density = exp(-0.5 * TAIL * TAIL);
    const double area = TAIL * density + sqrt(M_PI_2) * erfc(TAIL / M_SQRT2);
    edge[0] = area / density;
    edge[1] = TAIL;
    edge[LAYERS] = 0.0;
    for (int i = 2; i < LAYERS; i++) {
        edge[i] = sqrt(-2.0 * log(area / edge[i - 1] + density));
        density = exp(-0.5 * edge[i] * edge[i]);
    }
    for (int i = 0; i < LAYERS; i++)
        inside[i] = edge[i + 1] / edge[i];
}

static double normal_tail(stream_t *r, int negative)
{
    double x, y;
    do {
        x = log1p(-unit(next(r))) / TAIL;
        y = log1p(-unit(next(r)));
    } while (-2.0 * y < x * x);
    return negative ? x - TAIL : TAIL - x;
}

static inline double normal(stream_t *r)
{
    for (;;) {
        const uint64_t bits = next(r);
        const int i = (int)(bits & (LAYERS - 1)); /* unit() drops these bits: both are independent */
        const double u = 2.0 * unit(bits) - 1.0;
        const double x = u * edge[i];
        if (fabs(u) < inside[i])
            return x;
        if (i == 0)
            return normal_tail(r, u < 0.0);
        const double outer = exp(-0.5 * (edge[i] * edge[i] - x * x));
        const double inner = exp(-0.5 * (edge[i + 1] * edge[i + 1] - x * x));
        if (inner + unit(next(r)) * (outer - inner) < 1.0)
            return x;
    }
}

/* Marsaglia and Tsang's gamma for shape >= 1, which is all a Beta(1+S, 1+N-S) needs. */
static inline double gamma_draw(stream_t *r, double shape)
{
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        const double x = normal(r);
        double v = 1.0 + c * x;
        if (v <= 0.0)
            continue;
        v = v * v * v;
        const double u = unit(next(r));
        if (u < 1.0 - 0.0331 * (x * x) * (x * x) ||
            log(u) < 0.5 * x * x + d * (1.0 - v + log(v)))
            return d * v;
    }
}

static inline double beta_draw(stream_t *r, double a, double b)
{
    const double x = gamma_draw(r, a);
    return x / (x + gamma_draw(r, b));
}

/* For checking the sampler against a reference. */
void beta_sample(double a, double b, uint64_t seed, int64_t size, double *out)
{
    stream_t r;
    ziggurat_init();
    stream_seed(&r, seed);
    for (int64_t i = 0; i < size; i++)
        out[i] = beta_draw(&r, a, b);
}

/* ---- the three policies ---------------------------------------------------------------------- */

typedef struct {
    int arms;
    double *pulls, *sums, *index;
    double a;      /* UCBE's exploration */
    int64_t clock; /* pulls so far + 1 */
    stream_t stream;
} run_t;

/* UCBE needs no more: its index, infinite at first, is kept but for the pulled arm's. */
static inline int first_largest(const double *score, int arms)
{
    int best = 0;
    for (int k = 1; k < arms; k++)
        if (score[k] > score[best])
            best = k;
    return best;
}

/* Unpulled arms first, lowest position first: that is arms 0, 1, ... in order. */
static inline int choose_ucb1(run_t *run)
{
    if (run->clock <= run->arms)
        return (int)run->clock - 1;
    const double width = 2.0 * log((double)run->clock);
    for (int k = 0; k < run->arms; k++)
        run->index[k] = run->sums[k] / run->pulls[k] + sqrt(width / run->pulls[k]);
    return first_largest(run->index, run->arms);
}

static inline int choose_ts(run_t *run)
{
    if (run->clock <= run->arms)
        return (int)run->clock - 1;
    for (int k = 0; k < run->arms; k++) {
        const double s = run->sums[k];
        run->index[k] = beta_draw(&run->stream, 1.0 + s, 1.0 + run->pulls[k] - s);
    }
    return first_largest(run->index, run->arms);
}

static inline void learn(run_t *run, int policy, int arm, double x)
{
    run->clock++;
    run->pulls[arm] += 1.0;
    run->sums[arm] += x;
    if (policy == UCBE)
        run->index[arm] = run->sums[arm] / run->pulls[arm] + sqrt(run->a / run->pulls[arm]);
}

/* Inlined once per policy by `simulate`, so that no pull pays for a switch. */
static inline void play(run_t *run, const int policy, const double *means, int64_t rounds,
                        uint64_t key)
{
    int last = -1;
    for (int64_t round = 0;;) {
        const int arm = policy == UCB1   ? choose_ucb1(run)
                        : policy == UCBE ? first_largest(run->index, run->arms)
                                         : choose_ts(run);
        if (arm <= last && ++round == rounds)
            return;
        learn(run, policy, arm, reward(key, round * run->arms + arm, means[arm]));
        last = arm;
    }
}

/* Total number of pulls, or -1 when out of memory; `pulls_of_arm` is added to. */

int64_t simulate(int policy, int arms, const double *means, int64_t rounds, int64_t runs,
                 double a, uint64_t seed, int64_t *pulls_of_arm)
{
    double *state = malloc(3 * (size_t)arms * sizeof *state);
    if (state == NULL)
        return -1;
    run_t run = {arms, state, state + arms, state + 2 * arms, a, 0, {{0}}};
    int64_t total = 0;
    ziggurat_init();
    for (int64_t i = 0; i < runs; i++) {
        const uint64_t key = mix(seed + GOLDEN * (uint64_t)(i + 1));
        for (int k = 0; k < arms; k++)
            run.pulls[k] = run.sums[k] = 0.0, run.index[k] = INFINITY;
        run.clock = 1;
        stream_seed(&run.stream, ~key);
        if (policy == UCB1)
            play(&run, UCB1, means, rounds, key);
        else if (policy == UCBE)
            play(&run, UCBE, means, rounds, key);
        else
            play(&run, TS, means, rounds, key);
        for (int k = 0; k < arms; k++)
            pulls_of_arm[k] += (int64_t)run.pulls[k];
        total += run.clock - 1;
    }
    free(state);
    return total;
}
