import type { Metric, Registry } from 'prom-client';
import type { Span } from './tracing.ts';

interface HistogramOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  /** The upper bounds of the buckets, in seconds. */
  readonly buckets: readonly number[];
  readonly registers: readonly Registry[];
}

interface Exemplar {
  readonly labelSet: { readonly trace_id: string; readonly span_id: string };
  readonly value: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** A sample as prom-client's registry writes it. */
interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly sharedLabels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly metricName: string;
  readonly exemplar: Exemplar | undefined;
}

/**
 * A histogram for what is counted at every request and every message: `observe` of prom-client's own histogram joins and
 * checks the labels at each call. That takes 0.5 µs. Here `of` and `observe` together take 0.2 µs; if the caller keeps the
 * series, `observe` takes some nanoseconds.
 */
export class FastHistogram<Label extends string> {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly aggregator = 'sum';
  private readonly options: HistogramOptions<Label>;
  private readonly series = new Map<string, Series>();

  constructor(options: HistogramOptions<Label>) {
    this.options = options;
    this.name = options.name;
    this.help = options.help;
    // The type `Metric` has further members, but a registry reads only those that this class has.
    for (const registry of options.registers) registry.registerMetric(this as unknown as Metric);
  }

  /**
   * The series with these labels, in the order of `labelNames`. If there are `MAX_SERIES` already, all further labels share
   * one series, whose labels are `other`.
   */
  of(...values: readonly string[]): Series {
    const key = values.join('\n');
    const known = this.series.get(key);
    if (known) return known;
    if (this.series.size >= MAX_SERIES && values.some((value) => value !== OTHER))
      return this.of(...values.map(() => OTHER));
    const labels = Object.fromEntries(
      this.options.labelNames.map((name, index) => [name, values[index] ?? '']),
    );
    const series = new Series(labels, this.options.buckets);
    this.series.set(key, series);
    return series;
  }

  async get() {
    const { name, help, type, aggregator } = this;
    return {
      name,
      help,
      type,
      aggregator,
      values: [...this.series.values()].flatMap((series) => series.samples(name)),
    };
  }

  reset(): void {
    this.series.clear();
  }
}

/** Far more than there are combinations of routes and statuses. */
const MAX_SERIES = 5_000;
const OTHER = 'other';

/** The observations with equal labels. */
export class Series {
  private readonly labels: Readonly<Record<string, string>>;
  private readonly bounds: readonly number[];
  /** The observations in each bucket; the last element counts those above all bounds. */
  private readonly counts: number[];
  private readonly exemplars: (Exemplar | undefined)[];
  private sum = 0;

  constructor(labels: Readonly<Record<string, string>>, bounds: readonly number[]) {
    this.labels = labels;
    this.bounds = bounds;
    this.counts = [...bounds.map(() => 0), 0];
    this.exemplars = this.counts.map(() => undefined);
  }

  /** @param span of a sampled request: the exemplar of the bucket, which leads from a dashboard to a trace */
  observe(seconds: number, span?: Span): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1;
    counts[bucket] = (counts[bucket] as number) + 1;
    this.sum += seconds;
    if (span)
      this.exemplars[bucket] = {
        labelSet: { trace_id: span.traceId, span_id: span.spanId },
        value: seconds,
        timestamp: Date.now() / 1_000,
      };
  }

  samples(name: string): Sample[] {
    const { labels: sharedLabels, bounds, exemplars } = this;
    let count = 0;
    const buckets = this.counts.map((inBucket, index): Sample => {
      count += inBucket;
      const labels = { le: bounds[index] ?? '+Inf' };
      return { labels, sharedLabels, value: count, metricName: `${name}_bucket`, exemplar: exemplars[index] };
    });
    const total = { labels: {}, sharedLabels, exemplar: undefined };
    return [
      ...buckets,
      { ...total, value: this.sum, metricName: `${name}_sum` },
      { ...total, value: count, metricName: `${name}_count` },
    ];
  }
}
