import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES, serverSettings, SettingsError, readSettings, variableOf } from '#server/settings.ts';
import { gatewaySettings } from '../../gateway/settings.ts';
import { subgraphs } from '../../subgraphs/index.ts';

const variables = [gatewaySettings, ...subgraphs.map((subgraph) => subgraph.settings)]
  .flatMap((schema) => Object.keys(schema.shape))
  .map(variableOf);

describe('settings', () => {
  it('are all described in docs/operations.md', async () => {
    const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const documented = new Set([...page.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name));
    expect(
      [...new Set(variables), ...SERVICE_NAMES.map((name) => `${name.toUpperCase()}_PORT`)].filter(
        (name) => !documented.has(name),
      ),
    ).toEqual([]);
  });

  it('fail by the name of every wrong variable, with secrets hidden', () => {
    const read = () =>
      readSettings(gatewaySettings, {
        GATEWAY_PORT: '99999',
        RATE_LIMITS: 'maybe',
        DATABASE_URL: 'mysql://root:hunter2@db/x',
      });
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(
      /GATEWAY_PORT: expected a port number from 0 to 65535; got "99999"[\s\S]*|RATE_LIMITS: expected on or off; got "maybe"/,
    );
    expect(read).toThrow(/DATABASE_URL: expected postgres:\/\/.*; got "mysql:\/\/\*\*\*@db\/x"/);
    expect(read).not.toThrow(/hunter2/);
  });

  it('take an empty variable for an absent one', () => {
    expect(readSettings(serverSettings, { LOG_LEVEL: '', REDIS_URL: '' })).toMatchObject({
      logLevel: 'info',
    });
  });
});
