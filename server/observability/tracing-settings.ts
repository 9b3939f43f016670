import { z } from 'zod';

const OTLP_PORT = 4318;
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The name of a sampler, as in OTEL_TRACES_SAMPLER. */
export type SamplerName = (typeof SAMPLERS)[number];

const collectorUrl = z.url({
  protocol: /^https?$/,
  error: 'expected the http(s) URL of an OpenTelemetry collector, such as http://collector:4318',
});

const protocol = z.enum(PROTOCOLS, 'expected http/protobuf or http/json; gRPC is not supported');

const wholeNumber = (byDefault: number, most: number) =>
  z.coerce
    .number(`expected a number from 1 to ${most}`)
    .int(`expected a whole number from 1 to ${most}`)
    .min(1, `expected a number from 1 to ${most}`)
    .max(most, `expected a number from 1 to ${most}`)
    .default(byDefault);

/** `name=value` pairs, separated by commas, with percent-encoded values (the format of W3C Baggage). */
const pairs = z.string().transform((text, context): Readonly<Record<string, string>> => {
  const found: [string, string][] = [];
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const at = pair.indexOf('=');
    const value = at > 0 ? decoded(pair.slice(at + 1).trim()) : undefined;
    if (value === undefined) {
      context.addIssue({
        code: 'custom',
        message: 'expected name=value pairs, separated by commas; "," and "%" in a value are %2C and %25',
      });
      return z.NEVER;
    }
    found.push([pair.slice(0, at).trim(), value]);
  }
  return Object.fromEntries(found);
});

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The standard variables of OpenTelemetry, https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/. */
export const tracingSettings = z.object({
  otelSdkDisabled: z
    .enum(['true', 'false'], 'expected true or false')
    .transform((word) => word === 'true')
    .default(false),
  otelTracesExporter: z.enum(['otlp', 'none'], 'expected otlp or none').optional(),
  /** The collector; `/v1/traces` is added to its path. */
  otelExporterOtlpEndpoint: collectorUrl.optional(),
  /** The whole URL for spans, instead of `otelExporterOtlpEndpoint`. */
  otelExporterOtlpTracesEndpoint: collectorUrl.optional(),
  otelExporterOtlpProtocol: protocol.default('http/protobuf'),
  otelExporterOtlpTracesProtocol: protocol.optional(),
  otelExporterOtlpHeaders: pairs.default({}),
  otelExporterOtlpTracesHeaders: pairs.optional(),
  /** Milliseconds. */
  otelExporterOtlpTimeout: wholeNumber(10_000, 60_000),
  otelExporterOtlpTracesTimeout: wholeNumber(10_000, 60_000).unwrap().optional(),
  otelTracesSampler: z
    .enum(SAMPLERS, `expected one of ${SAMPLERS.join(', ')}`)
    .default('parentbased_always_on'),
  /** The share of the traces that begin here and are recorded, for the samplers `traceidratio`. */
  otelTracesSamplerArg: z.coerce
    .number('expected a share from 0 to 1')
    .min(0, 'expected a share from 0 to 1')
    .max(1, 'expected a share from 0 to 1')
    .default(1),
  /** The service name of all servers of this process. Default: the name of each server. */
  otelServiceName: z.string().max(255).optional(),
  otelResourceAttributes: pairs.default({}),
  /** Milliseconds until the next spans are sent. */
  otelBspScheduleDelay: wholeNumber(5_000, 60_000),
  /** Spans that wait to be sent; further ones are dropped. */
  otelBspMaxQueueSize: wholeNumber(2_048, 65_536),
  /** Spans of one request to the collector. */
  otelBspMaxExportBatchSize: wholeNumber(512, 8_192),
});
export type TracingSettings = z.output<typeof tracingSettings>;

/** Whether spans are recorded: if a collector is set, or its default address is chosen by OTEL_TRACES_EXPORTER=otlp. */
export const isTracingOn = (settings: TracingSettings): boolean =>
  !settings.otelSdkDisabled &&
  settings.otelTracesExporter !== 'none' &&
  (settings.otelTracesExporter === 'otlp' ||
    settings.otelExporterOtlpEndpoint !== undefined ||
    settings.otelExporterOtlpTracesEndpoint !== undefined);

/** Where and how the spans are sent. */
export interface TracesTarget {
  readonly url: string;
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMillis: number;
}

/** The settings for spans take precedence over those for all signals. */
export const tracesTargetOf = (settings: TracingSettings): TracesTarget => ({
  url:
    settings.otelExporterOtlpTracesEndpoint ??
    `${(settings.otelExporterOtlpEndpoint ?? `http://localhost:${OTLP_PORT}`).replace(/\/+$/, '')}/v1/traces`,
  protocol: settings.otelExporterOtlpTracesProtocol ?? settings.otelExporterOtlpProtocol,
  headers: settings.otelExporterOtlpTracesHeaders ?? settings.otelExporterOtlpHeaders,
  timeoutMillis: settings.otelExporterOtlpTracesTimeout ?? settings.otelExporterOtlpTimeout,
});
