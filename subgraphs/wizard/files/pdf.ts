import { invalid } from '#server/errors.ts';

export const isPdf = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 5) === '%PDF-';

/**
 * Told by its content: a header, an end, and nothing that runs or opens something. What hides inside compressed
 * objects is not seen here; the file is served as a download and never rendered by us.
 * @throws VALIDATION_FAILED for what is broken, active, or something else besides
 */
export function requirePlainPdf(bytes: Buffer, field: string): void {
  const text = bytes.toString('latin1');
  if (!/^%PDF-[12]\.\d/.test(text) || !/startxref\s+\d+\s+%%EOF\s*$/.test(text.slice(-1024)))
    throw invalid(field, 'expected a whole PDF; this one cannot be read');
  if (/\/(JavaScript|JS|Launch|EmbeddedFile|RichMedia|XFA|OpenAction|AA)\b/.test(text))
    throw invalid(field, 'expected a PDF without scripts, actions or attachments; print it into a new one');
  if (/<(?:script|html|!doctype)[\s>]|<\?php/i.test(text) || text.lastIndexOf('PK\x05\x06') >= 0)
    throw invalid(field, 'expected a PDF and nothing else in the file');
}
