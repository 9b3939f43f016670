/** Returns why `file`, a path from the repository's root, may not import `specifier`; undefined if it may. */
export function whyForbidden(file: string, specifier: string): string | undefined;
