/**
 * The beginning of what a spreadsheet runs as a formula. A text with apostrophes before it matches, too, and gets one more, so
 * that `withoutApostrophe` restores every text.
 */
const FORMULA = /^'*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Options of csv-stringify: an apostrophe before texts that a spreadsheet would run as formulas. Numbers are as they are. */
export const WITHOUT_FORMULAS = {
  cast: { string: (text: string): string => (FORMULA.test(text) ? `'${text}` : text) },
} as const;

/** The text without the apostrophe that `WITHOUT_FORMULAS` has written before it. */
export const withoutApostrophe = (field: string): string =>
  field.startsWith("'") && FORMULA.test(field) ? field.slice(1) : field;
