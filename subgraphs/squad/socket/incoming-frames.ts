import { z } from 'zod';
import { invalid } from '#server/errors.ts';
import { validated } from '#server/validate.ts';

const frameShape = z.object({
  event: z.string('expected the name of an event').max(60),
  data: z.unknown().optional(),
  id: z.union([z.string().max(100), z.number()], 'expected a text or a number').optional(),
});

/** A frame of a client. */
export type IncomingFrame = z.infer<typeof frameShape>;
export type FrameId = IncomingFrame['id'];

/** @throws VALIDATION_FAILED */
export function jsonOf(bytes: Buffer, isBinary: boolean): unknown {
  if (isBinary) throw invalid('', 'expected a text frame, got a binary one');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalid('', 'expected a JSON text such as {"event": "user_online", "data": {}, "id": 1}');
  }
}

/** The id of a frame, also if the rest of it is invalid: the client needs it to recognise the error. */
export function idOf(json: unknown): FrameId {
  const id = typeof json === 'object' && json !== null && 'id' in json ? json.id : undefined;
  return typeof id === 'number' || (typeof id === 'string' && id.length <= 100) ? id : undefined;
}

/** The id of a frame that is refused unread; undefined if it has none, or is no JSON text. */
export function idIn(bytes: Buffer, isBinary: boolean): FrameId {
  try {
    return idOf(jsonOf(bytes, isBinary));
  } catch {
    return undefined;
  }
}

/** @throws VALIDATION_FAILED */
export const frameOf = (json: unknown): IncomingFrame => validated(frameShape, json);
