import { isUuid } from '../ids.ts';
import type { RestMethod } from './route.ts';

export interface Match<Target> {
  readonly target: Target;
  readonly params: Readonly<Record<string, string>>;
}

interface Candidate<Target> {
  readonly target: Target;
  readonly segments: readonly Segment[];
}

/** One part of a declared path: a text, or the name of a parameter. */
type Segment = { readonly text: string } | { readonly param: string };

/** A declared path without optional parts and wildcards. */
const DECLARED = /^\/(?:(?::\w+|[\w.-]+)(?:\/(?::\w+|[\w.-]+))*)?$/;
/** A requested path without percent-encoding and without characters that Express handles in a way of its own. */
const PLAIN = /^\/[\w.~!$&'()*+,;=:@/-]*$/;

/**
 * Finds the route that Express would find, if the path has the usual form. Only Express decides about all other paths, such
 * as those with percent-encoding, doubled slashes, a slash at the end, or capital letters in a fixed part.
 */
export class RouteMatcher<Target> {
  /** By method and number of segments, in the order of the declaration, because Express takes the first route that matches. */
  private readonly candidates = new Map<string, Candidate<Target>[]>();

  constructor(routes: readonly { method: RestMethod; path: string; target: Target }[]) {
    for (const { method, path, target } of routes) {
      if (!DECLARED.test(path)) throw new Error(`${path} is not a path of fixed parts and parameters.`);
      const segments = path.slice(1).split('/').map(segmentOf);
      const key = `${method} ${segments.length}`;
      const known = this.candidates.get(key) ?? [];
      known.push({ target, segments });
      this.candidates.set(key, known);
    }
  }

  find(method: string, path: string): Match<Target> | undefined {
    if (!PLAIN.test(path)) return undefined;
    const parts = path.slice(1).split('/');
    for (const { target, segments } of this.candidates.get(`${method} ${parts.length}`) ?? []) {
      const params = paramsIn(parts, segments);
      if (params === 'unclear') return undefined;
      if (params) return { target, params };
    }
    return undefined;
  }
}

const segmentOf = (text: string): Segment => (text.startsWith(':') ? { param: text.slice(1) } : { text });

/** Undefined if the path does not match; `unclear` if only Express can decide. */
function paramsIn(
  parts: readonly string[],
  segments: readonly Segment[],
): Record<string, string> | undefined | 'unclear' {
  const params: Record<string, string> = {};
  let isExact = true;
  for (const [at, segment] of segments.entries()) {
    const part = parts[at] ?? '';
    if ('param' in segment) {
      if (part === '') return undefined;
      // The path may be that of a page such as /docs, which is mounted before the routes. No page has a UUID as its path.
      if (at === 0 && !isUuid(part)) return 'unclear';
      params[segment.param] = part;
    } else if (part !== segment.text) {
      if (part.toLowerCase() !== segment.text.toLowerCase()) return undefined;
      isExact = false; // Express ignores the case of fixed parts
    }
  }
  return isExact ? params : 'unclear';
}
