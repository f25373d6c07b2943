// A histogram for what is observed at every operation: counted in arrays, and written by prom-client's registry.
import type { Histogram as LibraryHistogram, Registry } from 'prom-client';

export interface HistogramSettings {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  readonly registry: Registry;
}

type Labels = Readonly<Record<string, string>>;

interface Value {
  readonly metricName: string;
  readonly labels: Labels;
  readonly value: number;
}

/**
 * prom-client's own checks and joins the labels at each observation, and keeps its buckets under fractions as names:
 * four times the cost in a loop, and more among other work.
 */
export class Histogram {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly #bounds: readonly number[];
  readonly #series: Series[] = [];

  constructor({ name, help, buckets, registry }: HistogramSettings) {
    this.name = name;
    this.help = help;
    this.#bounds = buckets;
    // Of a metric, a registry looks at what this has, but its type asks for one of the library's classes.
    registry.registerMetric(this as unknown as LibraryHistogram);
  }

  /** Opens the series of these labels, to be done once for them; it is told of from now on. */
  open(labels: Labels = {}): Series {
    const series = new Series(labels, this.#bounds);
    this.#series.push(series);
    return series;
  }

  /** What the registry writes. */
  get(): Promise<Pick<Histogram, 'name' | 'help' | 'type'> & { readonly values: Value[] }> {
    const { name, help, type } = this;
    return Promise.resolve({ name, help, type, values: [...this.#values()] });
  }

  *#values(): Generator<Value> {
    for (const { labels, counts, sum } of this.#series) {
      let below = 0;
      for (const [k, count] of counts.entries()) {
        below += count;
        const le = String(this.#bounds[k] ?? '+Inf');
        yield { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: below };
      }
      yield { metricName: `${this.name}_sum`, labels, value: sum };
      yield { metricName: `${this.name}_count`, labels, value: below };
    }
  }
}

/** The observations that have the same labels. */
export class Series {
  readonly labels: Labels;
  readonly #bounds: readonly number[];
  /** One more than there are bounds: the last is for what is above them all. */
  readonly counts: number[];
  sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.counts = [...bounds, Infinity].map(() => 0);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let k = 0;
    while (k < bounds.length && value > (bounds[k] as number)) k++;
    (this.counts[k] as number)++;
    this.sum += value;
  }
}
