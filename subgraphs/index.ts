import type { AnySubgraph } from '#server/define-subgraph.ts';
import { content } from './content/subgraph.ts';
import { gym } from './gym/subgraph.ts';
import { identity } from './identity/subgraph.ts';
import { nutrition } from './nutrition/subgraph.ts';
import { squad } from './squad/subgraph.ts';
import { wizard } from './wizard/subgraph.ts';

/** All six services. Identity is the first, because the others verify access tokens with its keys. */
export const subgraphs: readonly AnySubgraph[] = [identity, gym, wizard, nutrition, content, squad];
