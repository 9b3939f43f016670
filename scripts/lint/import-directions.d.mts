/** Says why `file`, a path from the repository's root, may not import `specifier`; undefined where it may. */
export function whyForbidden(file: string, specifier: string): string | undefined;
