import { z } from 'zod';

/** EAN-8, UPC-A or EAN-13 (GS1 General Specifications, 7.9): the last digit checks the others. */
export const barcode = z
  .string()
  .trim()
  .regex(/^(\d{8}|\d{12}|\d{13})$/, {
    error: 'expected a barcode of 8 (EAN-8), 12 (UPC-A) or 13 digits (EAN-13)',
    abort: true,
  })
  .refine(hasCheckDigit, 'the check digit does not match the others; a digit was misread')
  // A UPC-A is the EAN-13 with a leading zero, and scanners return either.
  .transform((digits) => (digits.length === 12 ? `0${digits}` : digits))
  .meta({ description: 'EAN-8, UPC-A or EAN-13; a UPC-A is stored as the EAN-13 with a leading zero.' });

function hasCheckDigit(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .toReversed()
    .reduce((total, digit, index) => total + digit * (index % 2 ? 3 : 1), 0);
  return sum % 10 === 0;
}
