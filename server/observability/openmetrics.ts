import { Registry, type Metric, type OpenMetricsContentType } from 'prom-client';

/**
 * The members of a metric that a registry reads. To write the text, it calls `getForPromString` if the metric has it, else `get`.
 * The types of prom-client declare only some of these members.
 */
interface Readable {
  readonly name: string;
  readonly type: string;
  get(): Promise<{ name: string }>;
  getForPromString?(): Promise<{ name: string }>;
}

/**
 * The metrics in the format OpenMetrics 1.0, which has exemplars.
 *
 * A registry of prom-client can write this format, but it then removes `_total` from the names of the counters themselves, and
 * later texts in the Prometheus format would lack it. So the registry here reads the metrics through objects with other names.
 * @param labels the default labels of the first registry
 */
export async function openMetricsOf(
  [own, ofProcess]: readonly [own: Registry, ofProcess: Registry],
  labels: object,
): Promise<{ contentType: string; body: string }> {
  const contentType = Registry.OPENMETRICS_CONTENT_TYPE;
  const texts = await Promise.all([viewOf(own, labels).metrics(), viewOf(ofProcess, {}).metrics()]);
  return { contentType, body: texts.map((text) => text.replace(END, '')).join('') + END };
}

/** The last line of a text in this format. */
export const END = '# EOF\n';

function viewOf(registry: Registry, labels: object): Registry<OpenMetricsContentType> {
  const view = new Registry<OpenMetricsContentType>();
  view.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  view.setDefaultLabels(labels);
  // The casts: every metric of the library has the members of `Readable`, and a registry reads no others.
  for (const metric of registry.getMetricsAsArray() as unknown as Readable[])
    view.registerMetric(withoutTotal(metric) as unknown as Metric);
  return view;
}

/** A counter's name is that of its sample without `_total` (OpenMetrics, "Counter"). */
function withoutTotal(metric: Readable): Readable {
  const read = async () => {
    const values = await (metric.getForPromString?.() ?? metric.get());
    return metric.type === 'counter' ? { ...values, name: values.name.replace(/_total$/, '') } : values;
  };
  return { name: metric.name, type: metric.type, get: read, getForPromString: read };
}
