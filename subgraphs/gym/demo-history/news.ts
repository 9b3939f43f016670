import { DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import { DAY_MILLIS, HOUR_MILLIS } from '#server/durations.ts';
import { Announcement } from '../announcements/announcement.entity.ts';
import { Comment, Like, Post, Report } from '../posts/post.entity.ts';
import type { HistoryContext, HistoryGym } from './context.ts';

interface PostPlan {
  hoursAgo: number;
  text: string;
  comments?: readonly string[];
  /** The demo user who wrote it; default: a member. */
  authorId?: string;
  /** Why a member has reported it. */
  reported?: string;
}

interface News {
  announcements: readonly { daysAgo: number; title: string; text: string; days: number }[];
  posts: readonly PostPlan[];
}

const maya = demoPerson('maya@iron.test').id;
const leo = demoPerson('leo@iron.test').id;
const zoe = demoPerson('zoe@aqua.test').id;

const NEWS: Readonly<Record<string, News>> = {
  [DEMO_GYMS.ironTemple.id]: {
    announcements: [
      {
        daysAgo: 1,
        days: 14,
        title: 'Olympic lifting three times a week',
        text: 'Marek coaches on Mondays, Wednesdays and Saturdays at 19:00 at Anvil. Four places, so book early.',
      },
      {
        daysAgo: 9,
        days: 30,
        title: 'Bring your own bottle',
        text: 'The water fountains at Forge are new: cold, and free for all members.',
      },
      {
        daysAgo: 24,
        days: 10,
        title: 'Showers at Anvil are being repaired',
        text: 'Please use those at Forge until the end of next week.',
      },
    ],
    posts: [
      {
        hoursAgo: 2,
        authorId: maya,
        text: 'New best at the bench: 41.25 kg for five. The plan works.',
        comments: ['Strong!', 'What do you do on Fridays?', 'See you on Monday, then with 42.5.'],
      },
      {
        hoursAgo: 7,
        text: 'Somebody left a blue bottle at rack 3. It is at the desk now.',
        comments: ['Mine, thank you!'],
      },
      {
        hoursAgo: 26,
        text: 'First snatch that felt like one movement. Thank you, Marek!',
        comments: ['It looked like one, too.'],
      },
      {
        hoursAgo: 49,
        authorId: leo,
        text: 'Saturday 7:10, deadlifts. Who is in?',
        comments: ['In.', 'Half past?'],
      },
      {
        hoursAgo: 75,
        text: 'Indoor cycling with Ben: I could not walk down the stairs afterwards. Ten out of ten.',
      },
      {
        hoursAgo: 98,
        text: 'Which straps do you use for rows?',
        comments: ['The ones from the shop are fine.'],
      },
      {
        hoursAgo: 140,
        text: 'Buy followers, cheap and fast, link in my profile.',
        reported: 'This is advertising.',
      },
      { hoursAgo: 171, authorId: maya, text: 'Eight visits in three weeks: done with a week to spare.' },
      {
        hoursAgo: 220,
        text: 'Is anybody else here before seven on Tuesdays? Early strength needs two more.',
      },
      {
        hoursAgo: 300,
        authorId: leo,
        text: 'Back after a week with a cold. Everything is heavy.',
        comments: ['Welcome back!'],
      },
      { hoursAgo: 380, text: '5 km on the rower in 21:40. Next goal: below 21.' },
      {
        hoursAgo: 470,
        text: 'Moved to Berlin last week, and found my gym on day two.',
        comments: ['Welcome!', 'Come to mobility at lunch.'],
      },
      { hoursAgo: 600, text: 'The new platforms are great, and so quiet.' },
    ],
  },
  [DEMO_GYMS.aquaClub.id]: {
    announcements: [
      {
        daysAgo: 2,
        days: 12,
        title: 'Lane 4 is for technique in the evening',
        text: 'On Tuesdays, Thursdays and Sundays from 18:30 to 19:30.',
      },
      {
        daysAgo: 12,
        days: 40,
        title: 'Towels in the shop',
        text: 'Order in the app, collect and pay at the desk.',
      },
    ],
    posts: [
      {
        hoursAgo: 3,
        authorId: zoe,
        text: '1,500 m without a break for the first time!',
        comments: ['Congratulations!', 'Next stop: two thousand.'],
      },
      { hoursAgo: 28, text: 'Early lanes at 6:15 with the sun coming up over the dock. Worth it.' },
      { hoursAgo: 90, text: 'Swam the Channel in three weeks, 33 km in 22 visits.', comments: ['Legend.'] },
      {
        hoursAgo: 200,
        authorId: zoe,
        text: 'Does anybody have a spare pair of goggles on Thursday?',
        comments: ['I do.'],
      },
      { hoursAgo: 420, text: 'Aqua fit is harder than it looks from the side of the pool.' },
    ],
  },
};

/** Inserts announcements, and posts with likes, comments and a report. */
export async function insertNews(context: HistoryContext, gym: HistoryGym): Promise<void> {
  const { unit, now, random } = context;
  const news = NEWS[gym.id];
  if (!news) return;
  const announcements = news.announcements.map(({ daysAgo, days, title, text }) => {
    const startsAt = new Date(now.getTime() - daysAgo * DAY_MILLIS);
    const endsAt = new Date(startsAt.getTime() + days * DAY_MILLIS);
    return {
      id: random.idAt(startsAt),
      gymId: gym.id,
      authorId: gym.staffId,
      title,
      text,
      startsAt,
      endsAt,
      createdAt: startsAt,
    };
  });
  await unit.em.insertMany(Announcement, announcements);
  const posts = news.posts.map((plan) => postRows(context, gym, plan));
  await unit.em.insertMany(
    Post,
    posts.map(({ post }) => post),
  );
  await unit.em.insertMany(
    Like,
    posts.flatMap(({ likes }) => likes),
  );
  await unit.em.insertMany(
    Comment,
    posts.flatMap(({ comments }) => comments),
  );
  const reports = posts.flatMap(({ report }) => report ?? []);
  if (reports.length > 0) await unit.em.insertMany(Report, reports);
}

function postRows(
  { now, random }: HistoryContext,
  gym: HistoryGym,
  { hoursAgo, text, comments = [], authorId, reported }: PostPlan,
) {
  const createdAt = new Date(now.getTime() - hoursAgo * HOUR_MILLIS);
  const id = random.idAt(createdAt);
  // Likes and comments follow within two hours.
  const later = () => new Date(Math.min(now.getTime(), createdAt.getTime() + random.int(1, 120) * 60_000));
  const likes = random
    .some(gym.memberIds, reported ? 0 : random.int(2, 9))
    .map((userId) => ({ postId: id, userId, createdAt: later() }));
  const answers = comments.map((answer, index) => {
    const at = new Date(Math.min(now.getTime(), createdAt.getTime() + (index + 1) * 17 * 60_000));
    const [commenter] = random.some(gym.memberIds, 1);
    return {
      id: random.idAt(at),
      postId: id,
      authorId: commenter ?? gym.staffId,
      text: answer,
      createdAt: at,
    };
  });
  const [author = gym.staffId, reporterId = gym.staffId] = random.some(gym.memberIds, 2);
  return {
    post: {
      id,
      gymId: gym.id,
      authorId: authorId ?? author,
      text,
      image: null,
      createdAt,
      likeCount: likes.length,
      commentCount: answers.length,
    },
    likes,
    comments: answers,
    report: reported
      ? { postId: id, reporterId, gymId: gym.id, reason: reported, createdAt: later() }
      : undefined,
  };
}
