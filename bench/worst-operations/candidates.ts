import { LISTS } from './candidates/lists.ts';
import { REQUESTS } from './candidates/requests.ts';
import { SHAPES } from './candidates/shapes.ts';

export const CANDIDATES = [...LISTS, ...SHAPES, ...REQUESTS] as const;
