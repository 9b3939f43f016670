import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { newTraceId } from '#server/http/trace.ts';
import { withoutValues } from '#server/observability/sql-span.ts';
import { openTracing, spanCounts, type Tracing } from '#server/observability/tracing.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { startCollector, tracingTo, type Collector } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const log = pino({ level: 'silent' });
let collector: Collector;
let tracing: Tracing | undefined;

async function open(
  env: Record<string, string> = {},
  answer?: Parameters<typeof startCollector>[0],
): Promise<Tracing> {
  collector = await startCollector(answer);
  tracing = await openTracing('test', readSettings(serverSettings, { ...tracingTo(collector), ...env }), log);
  if (!tracing) throw new Error('tracing is off');
  return tracing;
}
afterEach(async () => {
  await tracing?.stop();
  await collector.stop();
});

const SAMPLED = `00-${newTraceId()}-00f067aa0ba902b7-01`;
const UNSAMPLED = `00-${newTraceId()}-00f067aa0ba902b7-00`;

describe('sampling', () => {
  it.each([
    ['always_on', true, true, true],
    ['always_off', false, false, false],
    ['parentbased_always_on', true, true, false],
    ['parentbased_always_off', false, true, false],
  ])('%s records a new trace: %s, a sampled one: %s, an unsampled one: %s', async (sampler, ...expected) => {
    const { begin } = bound(await open({ OTEL_TRACES_SAMPLER: sampler }));
    const traces = [undefined, SAMPLED, UNSAMPLED].map(begin);
    expect(traces.map(({ span }) => span !== undefined)).toEqual(expected);
    // Callees get the decision, and the caller's trace.
    expect(traces.map(({ traceparent }) => traceparent.slice(-2))).toEqual(
      expected.map((is) => (is ? '01' : '00')),
    );
    expect(traces.map(({ traceparent }) => traceparent.slice(3, 35)).slice(1)).toEqual(
      [SAMPLED, UNSAMPLED].map((header) => header.slice(3, 35)),
    );
  });

  it('by share records that share of the traces, and decides equally if a trace id is repeated', async () => {
    const { begin } = bound(
      await open({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }),
    );
    const headers = Array.from({ length: 5_000 }, () => `00-${newTraceId()}-00f067aa0ba902b7-01`);
    const recorded = headers.filter((header) => begin(header).span);
    expect(recorded.length).toBeGreaterThan(350);
    expect(recorded.length).toBeLessThan(650);
    expect(recorded.every((header) => begin(header).span)).toBe(true);
  });

  it.each([
    '',
    'x',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${newTraceId()}-${'0'.repeat(16)}-01`,
    `${SAMPLED}-x`,
  ])('begins a new trace if the header is not valid: "%s"', async (header) => {
    const { span, traceparent } = (await open()).begin(header);
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(header).not.toContain(span?.traceId);
  });
});

describe('the collector', () => {
  it('gets the spans with the headers of the settings, by both protocols', async () => {
    for (const protocol of ['http/json', 'http/protobuf']) {
      const opened = await open({
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
      });
      opened.begin(undefined).span?.end();
      await opened.stop();
      expect(collector.requests).toMatchObject([
        {
          path: '/v1/traces',
          headers: {
            'x-key': 'a b',
            'content-type': protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
          },
        },
      ]);
      await collector.stop();
    }
  });

  it.each([
    ['hangs', () => undefined],
    ['fails', (response: { writeHead(status: number): { end(): void } }) => response.writeHead(400).end()],
  ])('%s: spans beyond the limit are dropped, and tracing can be stopped', async (_how, answer) => {
    const opened = await open(
      {
        OTEL_BSP_MAX_QUEUE_SIZE: '100',
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '50',
        OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      },
      answer,
    );
    const before = { ...spanCounts };
    for (let spans = 0; spans < 1_000; spans += 1) opened.begin(undefined).span?.end();
    expect(spanCounts.dropped - before.dropped).toBeGreaterThanOrEqual(800);
    await eventually(async () => spanCounts.failed > before.failed);
    const stoppedAt = performance.now();
    await opened.stop();
    expect(performance.now() - stoppedAt).toBeLessThan(withinOnThisMachine(4_000));
  });
});

describe('the text of a statement', () => {
  it.each([
    [`select 1 from a where b = 'it''s' and c = -12.5`, 'select ? from a where b = ? and c = ?'],
    [
      `select "a1"."x2" from "t1" as "a1" where "a1"."y" = $1 limit 20`,
      'select "a1"."x2" from "t1" as "a1" where "a1"."y" = $1 limit ?',
    ],
    [String.raw`insert into t (a) values (E'x\'y', '{1,2}')`, 'insert into t (a) values (?, ?)'],
    ["select $$a 'b'$$, $x$c$x$", 'select ?, ?'],
    ["where at > now() - interval '20 seconds'", 'where at > now() - interval ?'],
  ])('has no values: %s', (sql, expected) => {
    expect(withoutValues(sql)).toBe(expected);
  });
});

const bound = (opened: Tracing) => ({ begin: (header: string | undefined) => opened.begin(header) });
