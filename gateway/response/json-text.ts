import { quoted } from '#server/graphql/quoted.ts';

/** The JSON text of a value that was parsed from JSON. */
export function jsonOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number': // never infinite, because it was parsed from JSON
    case 'boolean':
      return String(value);
    default:
      return JSON.stringify(value);
  }
}

/**
 * The JSON before a field's value: an opening brace or a comma, the key, a colon. Each variant is prepared together with
 * the quotes beside it, so that a field is written with few concatenations (`coerceToJson`).
 */
export interface FieldPrefix {
  readonly value: string;
  /** Includes the opening quote of this field's string. */
  readonly string: string;
  /** Includes the closing quote of the previous field's string. */
  readonly valueAfterString: string;
  readonly stringAfterString: string;
}

/** @param key a GraphQL name, which needs no escaping */
export function fieldPrefix(key: string, isFirst: boolean): FieldPrefix {
  const value = `${isFirst ? '{' : ','}"${key}":`;
  return { value, string: `${value}"`, valueAfterString: `"${value}`, stringAfterString: `"${value}"` };
}
