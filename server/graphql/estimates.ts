export type Variables = Readonly<Record<string, unknown>>;

/** A number, or a function of the variables. */
export type Estimate = number | ((variables: Variables) => number);

/**
 * The sum of the parts. Identical parts are evaluated once. If each fragment of a chain spreads the next one twice, this
 * takes one evaluation for each fragment; otherwise their number would double with each fragment.
 */
export function sum(parts: readonly Estimate[]): Estimate {
  let fixed = 0;
  const varying = new Map<Exclude<Estimate, number>, number>();
  for (const part of parts) {
    if (typeof part === 'number') fixed += part;
    else varying.set(part, (varying.get(part) ?? 0) + 1);
  }
  if (varying.size === 0) return fixed;
  if (fixed === 0 && varying.size === 1) {
    const [[only, times] = []] = varying;
    if (only && times === 1) return only;
  }
  return (variables) => {
    let total = fixed;
    for (const [part, times] of varying) total += times * part(variables);
    return total;
  };
}

export function product(a: Estimate, b: Estimate): Estimate {
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  const value = (estimate: Estimate, variables: Variables): number =>
    typeof estimate === 'number' ? estimate : estimate(variables);
  return (variables) => value(a, variables) * value(b, variables);
}
