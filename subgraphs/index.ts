import type { AnySubgraph } from '#server/define-subgraph.ts';
import { content } from './content/subgraph.ts';
import { gym } from './gym/subgraph.ts';
import { identity } from './identity/subgraph.ts';
import { nutrition } from './nutrition/subgraph.ts';
import { squad } from './squad/subgraph.ts';
import { wizard } from './wizard/subgraph.ts';

/** The six, identity first: the others verify tokens by its keys. */
export const subgraphs: readonly AnySubgraph[] = [identity, gym, wizard, nutrition, content, squad];
