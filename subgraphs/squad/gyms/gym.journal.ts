import type { JournalKind } from '../storage/journal.ts';

/** A club. It has at least one member. */
export interface StoredGroup {
  readonly id: string;
  readonly gymId: string;
  readonly name: string;
  /** Null once the account is deleted. */
  readonly createdBy: string | null;
  readonly memberIds: readonly string[];
  readonly createdAt: string;
}

/** An event of the feed that users of the gym took part in. */
export interface Activity {
  readonly id: string;
  readonly kind: 'SQUAD_FINISHED' | 'GROUP_CREATED';
  readonly at: string;
  /** All users who took part; the feed shows the first one as the user of the item. */
  readonly userIds: readonly string[];
  readonly text: string;
  readonly squadId: string | null;
  readonly groupId: string | null;
}

/** What the squad service stores about one gym. */
export interface GymRecord {
  readonly groups: Readonly<Record<string, StoredGroup>>;
  /** The newest last. */
  readonly activities: readonly Activity[];
}

type GymItem =
  | { type: 'snapshot'; gym: GymRecord }
  | { type: 'founded'; group: StoredGroup }
  | { type: 'joinedGroup' | 'leftGroup'; groupId: string; userId: string }
  | { type: 'activity'; activity: Activity };

const KEPT_ACTIVITIES = 1_000;

export const gyms: JournalKind<GymRecord, GymItem> = {
  name: 'gyms',
  empty: () => ({ groups: {}, activities: [] }),
  apply(gym, item) {
    switch (item.type) {
      case 'snapshot':
        return withoutEmptyGroups(item.gym); // snapshots of earlier versions contain empty groups
      case 'founded':
        return withGroup(gym, item.group);
      case 'joinedGroup':
      case 'leftGroup':
        return withMember(gym, item);
      case 'activity':
        return {
          ...gym,
          activities: [...gym.activities.filter(({ id }) => id !== item.activity.id), item.activity].slice(
            -KEPT_ACTIVITIES,
          ),
        };
      default:
        return gym;
    }
  },
  compacted: (gym) => [{ type: 'snapshot', gym }],
};

const withGroup = (gym: GymRecord, group: StoredGroup): GymRecord => ({
  ...gym,
  groups: { ...gym.groups, [group.id]: group },
});

function withMember(
  gym: GymRecord,
  { type, groupId, userId }: { type: 'joinedGroup' | 'leftGroup'; groupId: string; userId: string },
): GymRecord {
  const group = gym.groups[groupId];
  if (!group) return gym;
  const others = group.memberIds.filter((memberId) => memberId !== userId);
  const memberIds = type === 'joinedGroup' ? [...others, userId] : others;
  const changed = withGroup(gym, { ...group, memberIds });
  return memberIds.length > 0 ? changed : withoutEmptyGroups(changed);
}

/** Without the clubs that have no members, and without their activities. */
export function withoutEmptyGroups({ groups, activities }: GymRecord): GymRecord {
  const kept = Object.fromEntries(Object.entries(groups).filter(([, { memberIds }]) => memberIds.length > 0));
  return { groups: kept, activities: activities.filter(({ groupId }) => !groupId || kept[groupId]) };
}
