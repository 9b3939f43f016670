import DataLoader from 'dataloader';
import { requireGym, requireOwnGym, requireUser } from '#server/auth/viewer.ts';
import { conflict, notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { forgetInGym } from '../accounts/forgotten.ts';
import { forgetIfErased } from '../accounts/forget-if-erased.ts';
import { moveNames } from '../users/names.journal.ts';
import { requireNotErased, users } from '../users/user.journal.ts';
import { gyms, type GymRecord, type StoredGroup } from '../gyms/gym.journal.ts';
import type { Hub } from '../hub.ts';
import { maySee, maySeeClub, readSight, type Sight } from '../presence/visibility.ts';
import { CreateGroupShape, type GroupShape } from './groups.shapes.ts';

const MAX_GROUPS_A_GYM = 500;
const MAX_GROUPS_A_FOUNDER = 10;
const MAX_MEMBERS = 2_000;

/** The groups (clubs) of a gym. A group ends with its last member. For a viewer it exists only if `maySeeClub` is true. */
export class Groups {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  /**
   * Reads a gym's journal once for all groups that are loaded in the same tick. Nothing is cached, because the mutations of one
   * operation change groups.
   */
  private readonly inGym = new DataLoader(
    async (gymIds: readonly string[]) => {
      const sight = await this.sight();
      const read = new Map<string, GymRecord>();
      for (const gymId of new Set(gymIds)) read.set(gymId, await this.hub.journals.of(gyms).read(gymId));
      return gymIds.map((gymId) => ({ groups: read.get(gymId)!.groups, sight }));
    },
    { cache: false },
  );

  constructor(unit: UnitOfWork, hub: Hub) {
    this.unit = unit;
    this.hub = hub;
  }

  /** The groups of the viewer's gym, or of any gym for a SUPER_ADMIN, sorted by name. */
  async list(gymId?: string | null): Promise<GroupShape[]> {
    const sight = await this.sight();
    const { groups } = await this.hub.journals.of(gyms).read(requireGym(this.unit.viewer, gymId));
    return Object.values(groups)
      .filter((group) => maySeeClub(sight, group))
      .toSorted((one, other) => one.name.localeCompare(other.name) || one.id.localeCompare(other.id))
      .map((group) => this.present(group, sight));
  }

  /**
   * A group of the viewer's gym, or of any gym for a SUPER_ADMIN; null if the viewer may see none with that id. A reference to
   * a group does not name its gym, so it finds only groups of the viewer's own gym, also for a SUPER_ADMIN.
   */
  async find(id: string, gymId?: string | null): Promise<GroupShape | null> {
    const { viewer } = this.unit;
    if (viewer.kind !== 'user' || !(gymId ?? viewer.gymId)) return null;
    if (!isUuid(id)) return null; // `constructor` is a key of every object
    const { groups, sight } = await this.inGym.load(requireGym(viewer, gymId));
    const group = groups[id];
    return group && maySeeClub(sight, group) ? this.present(group, sight) : null;
  }

  /**
   * Creates a group with the viewer as its first member.
   * @throws CONFLICT if the viewer can see a group of the same name in the gym, if they are a member of 10 groups that they
   *   have created, or if the gym has 500 groups
   */
  async create(input: unknown): Promise<GroupShape> {
    const { name } = validated(CreateGroupShape, input);
    const { userId } = requireUser(this.unit.viewer);
    const gymId = requireOwnGym(this.unit.viewer);
    await this.listGymInJournal(userId, gymId);
    const sight = await this.sight();
    const at = new Date().toISOString();
    const group: StoredGroup = {
      id: uuidv7(),
      gymId,
      name,
      createdBy: userId,
      memberIds: [userId],
      createdAt: at,
    };
    await this.hub.journals.of(gyms).change(gymId, ({ groups }) => {
      const existing = Object.values(groups);
      // Two groups may get the same name: a refusal would reveal a group that is hidden from the founder.
      const visible = existing.filter((other) => maySeeClub(sight, other));
      if (visible.some((other) => other.name.toLowerCase() === name.toLowerCase()))
        throw conflict(`Your gym has a group "${name}" already; join it, or choose another name.`);
      const own = existing.filter(
        ({ createdBy, memberIds }) => createdBy === userId && memberIds.includes(userId),
      );
      if (own.length >= MAX_GROUPS_A_FOUNDER)
        throw conflict(
          `A user may be a member of at most ${MAX_GROUPS_A_FOUNDER} groups that they have created; leave one of them first.`,
        );
      if (existing.length >= MAX_GROUPS_A_GYM)
        throw conflict(`A gym has at most ${MAX_GROUPS_A_GYM} groups.`);
      return [
        { type: 'founded', group },
        {
          type: 'activity',
          activity: {
            id: group.id,
            kind: 'GROUP_CREATED',
            at,
            userIds: [userId],
            text: `New group: ${name}`,
            squadId: null,
            groupId: group.id,
          },
        },
      ];
    });
    await this.forgetIfErased(userId, gymId);
    return this.present(group, sight);
  }

  join(id: string): Promise<GroupShape> {
    return this.setMember(id, true);
  }

  leave(id: string): Promise<GroupShape> {
    return this.setMember(id, false);
  }

  private async setMember(groupId: string, member: boolean): Promise<GroupShape> {
    const { userId } = requireUser(this.unit.viewer);
    const gymId = requireOwnGym(this.unit.viewer);
    if (!isUuid(groupId)) throw notFound('group', groupId);
    if (member) await this.listGymInJournal(userId, gymId);
    const sight = await this.sight();
    let before: StoredGroup | undefined;
    const { groups: after } = await this.hub.journals.of(gyms).change(gymId, ({ groups }) => {
      const group = groups[groupId];
      if (!group || !maySeeClub(sight, group)) throw notFound('group', groupId);
      before = group;
      if (group.memberIds.includes(userId) === member) return [];
      if (member && group.memberIds.length >= MAX_MEMBERS)
        throw conflict(`A group has at most ${MAX_MEMBERS} members.`);
      return [{ type: member ? 'joinedGroup' : 'leftGroup', groupId, userId }];
    });
    await this.forgetIfErased(userId, gymId);
    // The group no longer exists if its last member has left.
    return this.present(after[groupId] ?? { ...before!, memberIds: [] }, sight);
  }

  private sight(): Promise<Sight> {
    return readSight(this.hub.journals, this.unit.viewer);
  }

  /** Adds the gym to the journals that the user's own journal lists (`namedIn`), so that an erasure of their account finds it. */
  private async listGymInJournal(userId: string, gymId: string): Promise<void> {
    const { journals } = this.hub;
    const after = await journals.of(users).change(userId, (user) => {
      requireNotErased(user);
      return user.namedIn.gyms.includes(gymId) ? [] : [{ type: 'namedInGym', gymId }];
    });
    await moveNames(journals, after);
  }

  private forgetIfErased(userId: string, gymId: string): Promise<void> {
    const { journals } = this.hub;
    return forgetIfErased(journals, userId, () => forgetInGym(journals, gymId, userId));
  }

  private present({ id, gymId, name, createdBy, ...group }: StoredGroup, sight: Sight): GroupShape {
    const { viewer } = this.unit;
    const memberIds = group.memberIds.filter((memberId) => maySee(sight, memberId));
    return {
      id,
      gymId,
      name,
      createdBy: createdBy && maySee(sight, createdBy) ? createdBy : null,
      memberIds,
      memberCount: memberIds.length,
      joined: viewer.kind === 'user' && memberIds.includes(viewer.userId),
      createdAt: group.createdAt,
    };
  }
}
