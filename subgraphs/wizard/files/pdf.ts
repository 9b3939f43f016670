import { invalid } from '#server/errors.ts';

export const isPdf = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 5) === '%PDF-';

/**
 * Checks the content of a PDF: a header, an end, and nothing that runs or opens something. Compressed objects are not
 * checked; the file is served as a download and the platform never renders it.
 * @throws VALIDATION_FAILED for a file that is broken, has active content, or has another format as well
 */
export function requirePlainPdf(bytes: Buffer, field: string): void {
  const text = bytes.toString('latin1');
  if (!/^%PDF-[12]\.\d/.test(text) || !/startxref\s+\d+\s+%%EOF\s*$/.test(text.slice(-1024)))
    throw invalid(field, 'expected a complete PDF; this one cannot be read');
  if (/\/(JavaScript|JS|Launch|EmbeddedFile|RichMedia|XFA|OpenAction|AA)\b/.test(text))
    throw invalid(field, 'expected a PDF without scripts, actions or attachments; print it to a new PDF');
  if (/<(?:script|html|!doctype)[\s>]|<\?php/i.test(text) || text.lastIndexOf('PK\x05\x06') >= 0)
    throw invalid(field, 'expected a PDF and nothing else in the file');
}
