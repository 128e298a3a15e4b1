import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { metricDefinitions, type CounterName, type GaugeName, type HistogramName, type MetricName } from './definitions.js';
import { Tally } from './tally.js';

/** A value with its label values, in the order of the definition. */
export interface Sample {
  readonly labels?: readonly string[];
  readonly value: number;
}

/** Longest wait of a scrape for one gauge; a log or a database that does not answer costs its own series only. */
const READING_MS = 1000;
/** From a claim on a fast disk to a turn of ten minutes. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

const labelled = (name: MetricName, values: readonly string[]): Record<string, string> =>
  Object.fromEntries(metricDefinitions[name].labels.map((label, at) => [label, values[at] ?? '']));

const about = (name: MetricName) => ({ name, help: metricDefinitions[name].help, labelNames: metricDefinitions[name].labels });

/** The metrics of one process (P8). What is never counted, observed or read here is not in its scrape. */
export class Metrics {
  readonly contentType: string;
  readonly #registry = new Registry();
  readonly #tallies = new Map<CounterName, Tally>();
  readonly #histograms = new Map<HistogramName, Histogram>();

  constructor() {
    this.contentType = this.#registry.contentType;
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Counts up by one on each `add`. */
  counter(name: CounterName): Pick<Tally, 'add'> {
    const known = this.#tallies.get(name);
    if (known) return known;
    const tally = new Tally(metricDefinitions[name].labels.length);
    this.#tallies.set(name, tally);
    const counter: Counter = new Counter({
      ...about(name),
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const { values, count } of tally.series()) this.inc(labelled(name, values), count);
      },
    });
    // Without labels there is a first value: rates begin at 0 and not at the first event.
    if (metricDefinitions[name].labels.length === 0) counter.inc(0);
    return tally;
  }

  observe(name: HistogramName, seconds: number, ...labels: readonly string[]): void {
    let histogram = this.#histograms.get(name);
    if (!histogram) {
      histogram = new Histogram({ ...about(name), buckets: BUCKETS, registers: [this.#registry] });
      this.#histograms.set(name, histogram);
    }
    histogram.observe(labelled(name, labels), seconds);
  }

  /** A gauge is asked for when it is scraped. What throws, or takes longer than 1 s, has no series in that scrape. */
  gauge(name: GaugeName, read: () => readonly Sample[] | Promise<readonly Sample[]>): void {
    new Gauge({
      ...about(name),
      registers: [this.#registry],
      async collect() {
        this.reset();
        // A gauge without labels is reset to 0, which is a value; one that could not be read has none.
        if (metricDefinitions[name].labels.length === 0) this.remove({});
        for (const { labels = [], value } of await inTime(read)) this.set(labelled(name, labels), value);
      },
    });
  }

  /** Prometheus's text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

async function inTime(read: () => readonly Sample[] | Promise<readonly Sample[]>): Promise<readonly Sample[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Sample[]>((resolve) => (timer = setTimeout(resolve, READING_MS, [])));
  try {
    return await Promise.race([read(), late]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
