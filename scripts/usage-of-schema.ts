import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readUsageDay } from '../gateway/usage/usage-table.ts';
import type { SchemaChange } from './schema-changes.ts';

/** What the clients of the gateway used, over all files of a usage report. */
export interface SchemaUsage {
  /** The number of days with a report. */
  readonly days: number;
  readonly firstDay: string;
  readonly lastDay: string;
  /** For each schema coordinate, the number of requests by the name of the client. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

const MAX_CLIENTS = 5;

/**
 * Reads all usage reports of a folder, which is the folder of the setting USAGE_REPORT.
 * @throws Error if the folder contains no report, or if a file cannot be read; the message then names the file
 */
export function readUsage(folder: string): SchemaUsage {
  const names = readdirSync(folder).filter((name) => /^usage-.*\.json$/.test(name));
  if (names.length === 0)
    throw new Error(`${folder} has no usage report; expected files usage-<day>-<host>.json.`);
  const days = new Set<string>();
  const fields = new Map<string, Map<string, number>>();
  for (const name of names) {
    const { day, fields: used } = usageIn(path.join(folder, name));
    days.add(day);
    for (const [field, { clients }] of Object.entries(used)) {
      const known = fields.get(field) ?? new Map<string, number>();
      fields.set(field, known);
      for (const [client, requests] of Object.entries(clients))
        known.set(client, (known.get(client) ?? 0) + requests);
    }
  }
  const sorted = [...days].toSorted();
  return { days: days.size, firstDay: sorted.at(0) ?? '', lastDay: sorted.at(-1) ?? '', fields };
}

function usageIn(file: string) {
  try {
    return readUsageDay(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${file} cannot be read as a usage report.`, { cause });
  }
}

/**
 * Separates the changes that concern clients of the report, with the names of these clients, from those that concern none. A
 * change counts as used if the report cannot say who is concerned.
 */
export function byUse(
  changes: readonly SchemaChange[],
  usage: SchemaUsage,
): { used: SchemaChange[]; unused: SchemaChange[] } {
  const used: SchemaChange[] = [];
  const unused: SchemaChange[] = [];
  for (const change of changes) {
    const clients = clientsOf(change.coordinate, usage);
    if (clients === undefined) used.push(change);
    else if (clients.size === 0) unused.push(change);
    else used.push({ ...change, what: `${change.what} ${requestsOf(clients)}` });
  }
  return { used, unused };
}

/** The clients that used a field or argument, with their requests; undefined for anything else, which no report counts. */
function clientsOf(
  coordinate: string | undefined,
  { fields }: SchemaUsage,
): ReadonlyMap<string, number> | undefined {
  return coordinate === undefined ? undefined : (fields.get(coordinate) ?? new Map());
}

function requestsOf(clients: ReadonlyMap<string, number>): string {
  const sorted = [...clients].toSorted(([, a], [, b]) => b - a);
  const shown = sorted.slice(0, MAX_CLIENTS).map(([client, requests]) => `${client}: ${requests}`);
  return `(requests by client: ${shown.join(', ')}${sorted.length > MAX_CLIENTS ? ', ...' : ''})`;
}
