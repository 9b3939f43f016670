import { z } from 'zod';
import { readCheckedFile } from '#server/checked-file.ts';
import { MAX_SUBGRAPH_TIMEOUT_MILLIS } from '../settings.ts';
import { headerRules } from './header-rules.ts';

const millis = (max: number) =>
  z
    .int(`expected milliseconds, 1 to ${max}`)
    .min(1, `expected 1 to ${max} milliseconds`)
    .max(max, `expected 1 to ${max} milliseconds`);

const whole = (what: string, min: number, max: number) => {
  const message = `expected ${what}, ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};

const tls = z.strictObject({
  /** The certificates (PEM) of the authorities that sign those of the subgraph. Default: those of Node. */
  caFile: z.string('expected the name of a PEM file').optional(),
  /** The certificate and the key (PEM) with which the gateway authenticates to the subgraph. */
  certFile: z.string('expected the name of a PEM file').optional(),
  keyFile: z.string('expected the name of a PEM file').optional(),
  /** The name that the subgraph's certificate must have, if it is not the host of its URL. */
  serverName: z.string('expected a host name').optional(),
});

const subgraph = z.strictObject({
  /** The time limit of a query, in milliseconds. */
  timeoutMillis: millis(MAX_SUBGRAPH_TIMEOUT_MILLIS).optional(),
  /** The time limit of a mutation, in milliseconds; six times as long for uploads. */
  mutationTimeoutMillis: millis(MAX_SUBGRAPH_TIMEOUT_MILLIS).optional(),
  /** The time limit of opening a connection, in milliseconds. */
  connectTimeoutMillis: millis(60_000).optional(),
  /** How often a query is sent again if its connection broke or it got a 502, 503 or 504. */
  retries: whole('a number of retries', 0, 5).optional(),
  /** The maximum number of connections at once. */
  connections: whole('a number of connections', 1, 10_000).optional(),
  headers: headerRules.optional(),
  tls: tls
    .refine(
      ({ certFile, keyFile }) => (certFile === undefined) === (keyFile === undefined),
      'expected certFile and keyFile together: a client certificate needs its key',
    )
    .optional(),
});
export type SubgraphRules = z.output<typeof subgraph>;

const contract = z
  .strictObject({
    /** Part of its address, `/graphql/<name>`. */
    name: z
      .string('expected a name')
      .regex(
        /^[a-z][a-z0-9-]{0,39}$/,
        'expected lower-case letters, digits and hyphens, for the address /graphql/<name>',
      ),
    /** Tags of the fields that the contract has. Default: all fields. */
    include: z.array(z.string('expected a tag'), 'expected a list of tags').default([]),
    /** Tags of what the contract does not have, even if it is included. */
    exclude: z.array(z.string('expected a tag'), 'expected a list of tags').default([]),
  })
  .refine(
    ({ include, exclude }) => include.length + exclude.length > 0,
    'expected tags in include or exclude; without them it would be the whole graph',
  );
export type Contract = z.output<typeof contract>;

const routerFile = z
  .strictObject({
    /** The rules of single subgraphs by name; `all` has those of every subgraph that does not set them itself. */
    subgraphs: z.record(z.string(), subgraph).default({}),
    cost: z
      .strictObject({
        /** How much the operations of one caller may cost in a minute. */
        budgetPerMinute: whole('a cost', 1, 1_000_000_000).optional(),
        /** The same for a caller without a token, by address. Default: half of `budgetPerMinute`; no budget without it. */
        anonymousBudgetPerMinute: whole('a cost', 1, 1_000_000_000).optional(),
      })
      .default({}),
    contracts: z
      .array(contract, 'expected a list of contracts')
      .max(5, 'expected at most 5 contracts')
      .default([]),
  })
  .superRefine(({ contracts }, context) => {
    for (const [index, { name }] of contracts.entries())
      if (contracts.findIndex((other) => other.name === name) < index)
        context.addIssue({
          code: 'custom',
          path: ['contracts', index, 'name'],
          message: `there is another contract "${name}"; expected different names`,
        });
  });

/** What an operator decides for single subgraphs, callers and contracts, in addition to the settings. */
export type RouterRules = z.output<typeof routerFile>;

const NO_RULES: RouterRules = routerFile.parse({});

/** Reads the file of the setting ROUTER_FILE. @throws StartError that names each problem with its line */
export const readRouterFile = (file: string | undefined): Promise<RouterRules> =>
  file === undefined
    ? Promise.resolve(NO_RULES)
    : readCheckedFile(routerFile, { setting: 'ROUTER_FILE', file });

/** The rules of one subgraph: its own ones, then those of `all`. Headers are merged name by name. */
export function rulesOf(name: string, { subgraphs }: RouterRules): SubgraphRules {
  const [all = {}, own = {}] = [subgraphs['all'], subgraphs[name]];
  if (!all.headers || !own.headers) return { ...all, ...own };
  return {
    ...all,
    ...own,
    headers: {
      allow: [...all.headers.allow, ...own.headers.allow],
      rename: { ...all.headers.rename, ...own.headers.rename },
      set: { ...all.headers.set, ...own.headers.set },
    },
  };
}
