import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import {
  requireGym,
  requireGymAdmin,
  requireGymOfClient,
  requireUser,
  requireUserOrScope,
  Role,
  type ClientViewer,
  type UserViewer,
} from '#server/auth/viewer.ts';
import { notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { firstItemsLoaderOf, loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { References } from '#server/references/references.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { maySeeOrder } from '../access.ts';
import { changeOrder } from './change-order.ts';
import { ORDER } from './order-rows.ts';
import { OrdersFilter, type OrderShape } from './orders.shapes.ts';
import { placeOrder } from './place-order.ts';

const cursors = cursorsOf('orders', z.tuple([uuid()]));

/** Which orders a list contains; an absent field selects all. */
interface Selection {
  gymId?: string | undefined;
  userId?: string | undefined;
  status?: string | undefined;
}

/**
 * What users order from the shop of their gym. They see their own orders, staff and machine clients with `orders:read` those
 * of the gym. Ids sort by the time of the order, so lists are sorted by id.
 */
export class Orders {
  private readonly unit: UnitOfWork;
  private readonly references: References;
  private readonly byId = loaderOf(
    (ids) => this.unit.read<OrderShape>(`select ${ORDER} from shop_order where id = any(?::uuid[])`, [ids]),
    (order) => order.id,
  );
  private readonly latestOfUser = firstItemsLoaderOf(
    (userIds, count) => this.latest(userIds, count),
    (order) => order.userId ?? '',
  );

  constructor(unit: UnitOfWork, references: References) {
    this.unit = unit;
    this.references = references;
  }

  /**
   * Orders products from the shop of the viewer's gym: their pieces are taken from the stock at once.
   * @throws VALIDATION_FAILED for a product that the gym does not list, or for several currencies; OUT_OF_STOCK, with an
   * error for each item; UPSTREAM_UNAVAILABLE if the content service does not answer
   */
  async place(input: unknown): Promise<OrderShape> {
    return placeOrder(this.unit, this.references, input);
  }

  /**
   * Moves an order to its next status, or cancels it; cancelling gives its pieces back to the stock. Audited if staff do it.
   * @param expectedVersion undefined: `version` of the input. Without both, any version is changed.
   * @throws NOT_FOUND for an order that the viewer may not see, FORBIDDEN, VERSION_CONFLICT; CONFLICT for a status that does
   * not follow the current one
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<OrderShape> {
    const changed = await changeOrder(this.unit, id, input, expectedVersion);
    this.byId.clear(id);
    return changed;
  }

  /** @throws NOT_FOUND, also for an order that the viewer may not see */
  async get(id: string): Promise<OrderShape> {
    const viewer = requireUserOrScope(this.unit.viewer, 'orders:read');
    const order = isUuid(id) ? await this.byId.load(id) : null;
    if (!order || !maySeeOrder(viewer, order)) throw notFound('order', id);
    return order;
  }

  /**
   * Orders, newest first. Without `userId`, a MEMBER gets their own orders; staff and machine clients get those of the gym.
   * `userId` selects the orders of one user. Users get their own orders of all gyms, a SUPER_ADMIN gets every user's.
   */
  async list(filter: unknown, request: PageRequest): Promise<Page<OrderShape>> {
    const viewer = requireUserOrScope(this.unit.viewer, 'orders:read');
    const { status, userId, gymId } = validated(OrdersFilter, filter);
    const selection = selectionOf(viewer, { userId: userId ?? undefined, gymId });
    return this.page({ ...selection, status: status ?? undefined }, request);
  }

  /**
   * The orders of a user, newest first, for the graph's `User.orders`: all of them for the user and for a SUPER_ADMIN, those
   * in their own gym for a GYM_ADMIN. First pages are batched.
   */
  async ofUser(userId: string, request: PageRequest): Promise<Page<OrderShape>> {
    const gymId = this.gymSeenOf(userId);
    if (request.cursor) return this.page({ userId, gymId }, request);
    return cursors.page(await this.latestOfUser(userId, pageSize(request) + 1), request, ({ id }) => [id]);
  }

  private async page(selection: Selection, request: PageRequest): Promise<Page<OrderShape>> {
    const [before] = cursors.read(request.cursor) ?? [];
    const conditions = [
      ['gym_id = ?', selection.gymId],
      ['user_id = ?', selection.userId],
      ['status = ?', selection.status],
      ['id < ?', before],
    ].filter(([, value]) => value !== undefined);
    const rows = await this.unit.read<OrderShape>(
      `select ${ORDER} from shop_order where ${conditions.map(([sql]) => sql).join(' and ')} order by id desc limit ?`,
      [...conditions.map(([, value]) => value), pageSize(request) + 1],
    );
    return cursors.page(rows, request, ({ id }) => [id]);
  }

  private latest(userIds: readonly string[], count: number): Promise<OrderShape[]> {
    return this.unit.read<OrderShape>(
      `select latest.* from unnest(?::uuid[], ?::uuid[]) as member (seen_id, seen_gym_id) cross join lateral (
         select ${ORDER} from shop_order
         where user_id = member.seen_id and (member.seen_gym_id is null or gym_id = member.seen_gym_id)
         order by id desc limit ?
       ) as latest order by latest.id desc`,
      [userIds, userIds.map((userId) => this.gymSeenOf(userId) ?? null), count],
    );
  }

  /**
   * The gym whose orders of the user the viewer may see; undefined if they may see those of all gyms.
   * @throws NOT_FOUND if they may see no orders of the user
   */
  private gymSeenOf(userId: string): string | undefined {
    const viewer = requireUser(this.unit.viewer);
    if (!isUuid(userId)) throw notFound('order of user', userId);
    if (viewer.userId === userId || viewer.role === Role.SUPER_ADMIN) return undefined;
    if (viewer.role === Role.GYM_ADMIN && viewer.gymId) return viewer.gymId;
    throw notFound('order of user', userId);
  }
}

/**
 * The orders that the filter selects among those that the viewer may see.
 * @throws NOT_FOUND if a MEMBER names another user, FORBIDDEN for another gym, GYM_REQUIRED
 */
function selectionOf(
  viewer: UserViewer | ClientViewer,
  { userId, gymId }: { userId: string | undefined; gymId: string | null | undefined },
): Selection {
  if (viewer.kind === 'client') return { gymId: requireGymOfClient(viewer, gymId), userId };
  const isOwn = userId === viewer.userId || (viewer.role === Role.MEMBER && userId === undefined);
  if (isOwn) return { userId: viewer.userId, gymId: gymId ? requireGym(viewer, gymId) : undefined };
  if (viewer.role === Role.MEMBER) throw notFound('order of user', userId ?? '');
  if (viewer.role === Role.SUPER_ADMIN && userId) return { userId, gymId: gymId ?? undefined };
  return { gymId: requireGymAdmin(viewer, gymId), userId };
}
