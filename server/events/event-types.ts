import type { Scope } from '../auth/scopes.ts';
import type { ServiceName } from '../settings.ts';

interface EventTypeDeclaration {
  /** The services that write events of this type. The first one describes their data in its OpenAPI document. */
  readonly writers: readonly ServiceName[];
  /** The scope that a machine client needs in addition to `events:read` or `webhooks`; null if it needs no other. */
  readonly scope: Scope | null;
  readonly description: string;
  /** The fields of the data that contain the id of a user. They are null once the account is deleted. */
  readonly people: readonly string[];
  /** The data is a user. Once their account is deleted, only their id is left. */
  readonly isPerson?: true;
}

/**
 * The public events of the platform. The shape of the data of each type is declared by the service that writes it, see
 * `SubgraphDeclaration.events`.
 */
export const EVENT_TYPES = {
  'check_in.opened': {
    writers: ['gym'],
    scope: 'visits:read',
    description: 'A member was checked in. The data is the visit.',
    people: ['userId'],
  },
  'check_in.closed': {
    writers: ['gym'],
    scope: 'visits:read',
    description: 'A visit has ended: by a check-out, by a check-in at another location, or automatically.',
    people: ['userId'],
  },
  'check_in.undone': {
    writers: ['gym'],
    scope: 'visits:read',
    description: 'Staff have undone a mistaken check-in; the visit no longer counts.',
    people: ['userId'],
  },
  'check_in.denied': {
    writers: ['gym'],
    scope: 'visits:read',
    description:
      'A check-in was refused. The data is the denial. The first 60 denials of one caller in an hour have an event each; further ones have none.',
    people: ['userId', 'presentedBy'],
  },
  'occupancy.level_changed': {
    writers: ['gym'],
    scope: 'occupancy:read',
    description: 'The level of a location (OK, BUSY, FULL) has changed. The data is its occupancy.',
    people: [],
  },
  'class_session.changed': {
    writers: ['gym'],
    scope: 'classes:read',
    description:
      'A class session was added, changed, booked or cancelled. The data is the session; `myBooking` is always null.',
    people: [],
  },
  'booking.changed': {
    writers: ['gym'],
    scope: 'classes:read',
    description:
      'A booking of a class session was made, got a place, was cancelled, or was marked as attended or not. The data is the booking. A change of the position on the waiting list alone has no event.',
    people: ['userId'],
  },
  'challenge.ended': {
    writers: ['gym'],
    scope: null,
    description: 'A challenge has reached its end. The data is the challenge.',
    people: [],
  },
  'gym_config.published': {
    writers: ['gym'],
    scope: null,
    description: 'Branding or feature switches of a gym were published. The data is the configuration.',
    people: [],
  },
  'gym.deployed': {
    writers: ['gym'],
    scope: null,
    description: 'A gym has been opened. The data is the gym.',
    people: [],
  },
  'member.joined': {
    writers: ['identity'],
    scope: 'members:read',
    description: 'A membership of the gym has begun, also one that is PENDING. The data is the user.',
    people: ['id'],
    isPerson: true,
  },
  'member.updated': {
    writers: ['identity'],
    scope: 'members:read',
    description: 'The profile, the role or the status of the membership has changed. The data is the user.',
    people: ['id'],
    isPerson: true,
  },
  'member.removed': {
    writers: ['identity'],
    scope: 'members:read',
    description:
      'A user is no longer a member of the gym: they left, they were moved, or the account was deleted. The data is their id only.',
    people: ['id'],
    isPerson: true,
  },
  'order.changed': {
    writers: ['gym'],
    scope: 'orders:read',
    description: 'An order was placed, or its status has changed. The data is the order.',
    people: ['userId'],
  },
  'product.changed': {
    writers: ['content', 'gym'],
    scope: 'content:read',
    description:
      'A product was added, changed or deleted (subject `product/<id>`), or its price, stock or listing in the shop of a gym has changed (subject `gym-product/<productId>`). The data is the product or the listed product; after a removal it is the ids only.',
    people: [],
  },
} as const satisfies Record<string, EventTypeDeclaration>;

/**
 * Events for the services of the platform only, because they are about something private. They are not in the documents of the
 * API, not in the feed of any user or machine client, and no webhook sends them.
 */
const INTERNAL_EVENT_TYPES = {
  'trainings.changed': {
    writers: ['content'],
    scope: null,
    description: 'The times of trainings of a user have changed. The data is the id of the user.',
    people: ['userId'],
  },
} as const satisfies Record<string, EventTypeDeclaration>;

/** The public types. */
export type EventType = keyof typeof EVENT_TYPES;
export type InternalEventType = keyof typeof INTERNAL_EVENT_TYPES;
export type AnyEventType = EventType | InternalEventType;

/** The public types. */
export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventType[];
export const INTERNAL_EVENT_TYPE_NAMES = Object.keys(INTERNAL_EVENT_TYPES) as InternalEventType[];

/** Whether it is the name of a public type. */
export const isEventType = (name: string): name is EventType => Object.hasOwn(EVENT_TYPES, name);
export const isInternalEventType = (name: string): name is InternalEventType =>
  Object.hasOwn(INTERNAL_EVENT_TYPES, name);

export const declarationOf = (type: AnyEventType): EventTypeDeclaration =>
  isEventType(type) ? EVENT_TYPES[type] : INTERNAL_EVENT_TYPES[type];

/** Undefined for a type that this version of the platform does not know. */
export const findDeclaration = (name: string): EventTypeDeclaration | undefined =>
  isEventType(name) || isInternalEventType(name) ? declarationOf(name) : undefined;

/** The services that write events. */
export const SERVICES_WITH_EVENTS: readonly ServiceName[] = [
  ...new Set(
    [...Object.values(EVENT_TYPES), ...Object.values(INTERNAL_EVENT_TYPES)].flatMap(
      ({ writers }): readonly ServiceName[] => writers,
    ),
  ),
];
