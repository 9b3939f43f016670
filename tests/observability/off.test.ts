import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readSettings, serverSettings } from '#server/settings.ts';
import { isTracingOn, tracesTargetOf } from '#server/observability/tracing-settings.ts';

const PROGRAM = path.join(import.meta.dirname, '../support/programs/loaded-modules.ts');

/** The modules of OpenTelemetry's SDK and exporters that a process with a started squad service has loaded. */
async function loadedWith(env: Record<string, string>): Promise<string[]> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'loaded-modules-'));
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      DEMO: 'on',
      LOG_LEVEL: 'silent',
      SQUAD_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  await rm(dataDir, { recursive: true, force: true });
  return JSON.parse(text) as string[];
}

describe('the variables of OpenTelemetry', () => {
  it('load its SDK only if they name a collector', async () => {
    expect(await loadedWith({})).toEqual([]);
    expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toContain('sdk-trace');
  });

  it.each([
    [{}, false],
    [{ OTEL_TRACES_SAMPLER: 'always_on' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318/x' }, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' }, false],
  ])('turn tracing on only if they name a collector or exporter, and do not turn it off: %j', (env, isOn) => {
    expect(isTracingOn(readSettings(serverSettings, env))).toBe(isOn);
  });
});

describe('the settings of OpenTelemetry', () => {
  it('name the collector', () => {
    const target = (env: Record<string, string>) => tracesTargetOf(readSettings(serverSettings, env));
    expect(target({ OTEL_TRACES_EXPORTER: 'otlp' }).url).toBe('http://localhost:4318/v1/traces');
    expect(target({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/otel/' }).url).toBe('https://c/otel/v1/traces');
    expect(
      target({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://d/x',
        OTEL_EXPORTER_OTLP_HEADERS: 'a=1, authorization=Bearer%20x%3Dy',
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      }),
    ).toEqual({
      url: 'http://d/x',
      headers: { a: '1', authorization: 'Bearer x=y' },
      protocol: 'http/json',
      timeoutMillis: 10_000,
    });
  });

  it.each([
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'collector:4318',
      /expected the http\(s\) URL of an OpenTelemetry collector/,
    ],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /gRPC is not supported; got "grpc"/],
    ['OTEL_TRACES_SAMPLER', 'sometimes', /expected one of always_on/],
    ['OTEL_TRACES_SAMPLER_ARG', '10', /expected a share from 0 to 1/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'secret', /expected name=value pairs.*got "\*\*\*"/],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '0', /expected a number from 1 to 65536/],
  ])('are refused with their name if they are invalid: %s=%s', (name, value, message) => {
    const read = () => readSettings(serverSettings, { [name]: value });
    expect(read).toThrow(name);
    expect(read).toThrow(message);
  });
});
