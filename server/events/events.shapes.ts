import { z } from 'zod';
import { uuid } from '../shapes.ts';
import { cursorText, pageQuery } from '../paging.ts';
import { EVENT_TYPE_NAMES, EVENT_TYPES } from './event-types.ts';

export const EventShape = z
  .object({
    id: uuid().meta({ description: 'The same in every feed and every delivery of the event.' }),
    type: z
      .string()
      .meta({ description: `One of ${EVENT_TYPE_NAMES.map((name) => `\`${name}\``).join(', ')}.` }),
    gymId: uuid().nullable().meta({ description: 'Null for something that belongs to all gyms.' }),
    subject: z.string().meta({
      description:
        'What the event is about, `<type>/<id>`, e.g. `check-in/0199...`. The events of one subject are in the order in which they happened.',
    }),
    occurredAt: z.iso.datetime().meta({ description: 'When it happened.' }),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The resource after the event, as its GET returns it to a machine client.' }),
  })
  .meta({ id: 'Event' });
export type EventShape = z.infer<typeof EventShape>;

export const EventPageShape = z
  .object({
    events: z.array(EventShape).meta({ description: 'The events, the oldest first.' }),
    next: z.string().meta({ description: '`after` of the next request; also if there are no events.' }),
    traces: z.record(uuid(), z.string()).optional().meta({
      description:
        'For services only, if tracing is on: the W3C Trace Context of each event whose request is sampled, by the id of the event.',
    }),
  })
  .meta({ id: 'EventPage' });
export type EventPageShape = z.infer<typeof EventPageShape>;

const scopeNote = (type: keyof typeof EVENT_TYPES): string =>
  EVENT_TYPES[type].scope ? ` (scope ${EVENT_TYPES[type].scope})` : '';

/** The longest time for which a request waits for events. */
export const MAX_WAIT_SECONDS = 20;

export const EventsQuery = z.object({
  after: cursorText.optional().meta({
    description:
      '`next` of an earlier answer; the answer then has the events after it. `latest`: no events, only `next`. Default: the oldest events that are kept.',
  }),
  types: z
    .string()
    .max(1_000)
    .optional()
    .meta({
      description: `Only these types, separated by commas. Default: all that the caller may read. ${EVENT_TYPE_NAMES.map((name) => `\`${name}\`${scopeNote(name)}`).join(', ')}.`,
    }),
  limit: pageQuery.shape.limit,
  wait: z.coerce
    .number('expected a number of seconds from 0 up')
    .min(0, 'expected a number of seconds from 0 up')
    .optional()
    .meta({
      description: `If there are no events, the answer is sent at the next event, or after this number of seconds; at most ${MAX_WAIT_SECONDS}, and a larger number is treated as ${MAX_WAIT_SECONDS}. Default 0.`,
    }),
  gymId: uuid().optional().meta({
    description:
      'For a SUPER_ADMIN: the gym; without it, the answer has the events of all gyms. Every other caller may name only their own gym.',
  }),
});

/** What the rule reads, from each door. */
export interface EventsRequest {
  after?: string | null | undefined;
  types?: readonly string[] | null | undefined;
  limit?: number | null | undefined;
  /** Seconds. */
  wait?: number | null | undefined;
  gymId?: string | null | undefined;
}
