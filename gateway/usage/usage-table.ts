import { z } from 'zod';

/** Operations, and clients of an operation or field, beyond these numbers count as `other`. */
const MAX_OPERATIONS = 5_000;
const MAX_CLIENTS = 50;
const MAX_FIELDS = 20_000;
const OTHER = 'other';

const clientCounts = z.record(z.string(), z.number());
const usageDay = z.object({
  /** The day, in UTC. */
  day: z.iso.date(),
  operations: z.array(
    z.object({
      /** The SHA-256 of the text. The text itself is left out, because it may contain values. */
      hash: z.string(),
      name: z.string(),
      kind: z.string(),
      requests: z.number(),
      clients: clientCounts,
    }),
  ),
  /** By schema coordinate. */
  fields: z.record(z.string(), z.object({ requests: z.number(), clients: clientCounts })),
});
/** What clients used on one day at one gateway: the content of a file of the usage report. */
export type UsageDay = z.output<typeof usageDay>;

/** @throws Error if the text is no file of a usage report */
export const readUsageDay = (text: string): UsageDay => usageDay.parse(JSON.parse(text));

/** The identity of an operation in the report. */
export interface UsedOperation {
  readonly hash: string;
  readonly name: string;
  readonly kind: string;
  readonly fields: readonly string[];
}

interface Count {
  requests: number;
  clients: Map<string, number>;
}

/** The counts of one day, bounded. */
export class UsageTable {
  readonly day: string;
  readonly operations = new Map<string, Count & Pick<UsedOperation, 'name' | 'kind'>>();
  readonly fields = new Map<string, Count>();

  constructor(day: string) {
    this.day = day;
  }

  add({ hash, name, kind, fields }: UsedOperation, clients: ReadonlyMap<string, number>): void {
    const isFull = !this.operations.has(hash) && this.operations.size >= MAX_OPERATIONS;
    const key = isFull ? OTHER : hash;
    const operation = this.operations.get(key) ?? {
      requests: 0,
      clients: new Map(),
      ...(isFull ? { name: OTHER, kind: OTHER } : { name, kind }),
    };
    this.operations.set(key, operation);
    count(operation, clients);
    for (const field of fields) {
      const known = this.fields.get(field);
      if (!known && this.fields.size >= MAX_FIELDS) continue; // no schema has so many: these are the fields of many reloads
      const used = known ?? { requests: 0, clients: new Map<string, number>() };
      this.fields.set(field, used);
      count(used, clients);
    }
  }

  /** Continues the counts of an earlier process of the same day. */
  restore({ operations, fields }: UsageDay): void {
    for (const { hash, name, kind, requests, clients } of operations)
      this.operations.set(hash, { name, kind, requests, clients: new Map(Object.entries(clients)) });
    for (const [field, { requests, clients }] of Object.entries(fields))
      this.fields.set(field, { requests, clients: new Map(Object.entries(clients)) });
  }

  toJson(): string {
    const content: UsageDay = {
      day: this.day,
      operations: [...this.operations]
        .map(([hash, { clients, ...rest }]) => ({ hash, ...rest, clients: Object.fromEntries(clients) }))
        .toSorted((a, b) => b.requests - a.requests),
      fields: Object.fromEntries(
        [...this.fields]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([field, { requests, clients }]) => [
            field,
            { requests, clients: Object.fromEntries(clients) },
          ]),
      ),
    };
    return `${JSON.stringify(content, null, 1)}\n`;
  }
}

function count(into: Count, clients: ReadonlyMap<string, number>): void {
  for (const [client, requests] of clients) {
    into.requests += requests;
    const key = into.clients.has(client) || into.clients.size < MAX_CLIENTS ? client : OTHER;
    into.clients.set(key, (into.clients.get(key) ?? 0) + requests);
  }
}
