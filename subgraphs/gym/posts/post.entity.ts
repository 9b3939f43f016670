import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Gym } from '../gyms/gym.entity.ts';

const PostSchema = defineEntity({
  name: 'Post',
  tableName: 'post',
  indexes: [
    { properties: ['gymId', 'id'] },
    { properties: ['authorId', 'id'] },
    // to find the stored pictures to which no post refers
    {
      name: 'post_image',
      expression: `create index "post_image" on "post" ("image") where "image" is not null`,
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('restrict'),
    /** Null once the account is deleted. Then the text is empty, and the comments of other users stay. */
    authorId: p.uuid().nullable(),
    text: p.text(),
    /** File name of the picture, under /media/. */
    image: p.string().length(80).nullable(),
    likeCount: p.integer().default(0),
    commentCount: p.integer().default(0),
    /** Increases when the text or the picture changes, not with likes and comments. */
    version: p.integer().default(1),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class Post extends PostSchema.class {}
PostSchema.setClass(Post);

const LikeSchema = defineEntity({
  name: 'Like',
  tableName: 'post_like',
  indexes: [{ properties: ['postId', 'createdAt'] }, { properties: ['userId', 'postId'] }],
  properties: {
    postId: () => p.manyToOne(Post).primary().mapToPk().joinColumn('post_id').deleteRule('cascade'),
    userId: p.uuid().primary(),
    createdAt: p.datetime(),
  },
});

export class Like extends LikeSchema.class {}
LikeSchema.setClass(Like);

const CommentSchema = defineEntity({
  name: 'Comment',
  tableName: 'post_comment',
  indexes: [{ properties: ['postId', 'id'] }, { properties: ['authorId', 'id'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    postId: () => p.manyToOne(Post).mapToPk().joinColumn('post_id').deleteRule('cascade'),
    authorId: p.uuid(),
    text: p.text(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class Comment extends CommentSchema.class {}
CommentSchema.setClass(Comment);

/** A user's report of a post; at most one for each user and post. */
const ReportSchema = defineEntity({
  name: 'Report',
  tableName: 'post_report',
  indexes: [
    { properties: ['gymId', 'createdAt', 'postId', 'reporterId'] },
    { properties: ['reporterId', 'postId'] },
  ],
  properties: {
    postId: () => p.manyToOne(Post).primary().mapToPk().joinColumn('post_id').deleteRule('cascade'),
    reporterId: p.uuid().primary(),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('restrict'),
    reason: p.string().length(500),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class Report extends ReportSchema.class {}
ReportSchema.setClass(Report);

/** A user's report of a comment; at most one for each user and comment. */
const CommentReportSchema = defineEntity({
  name: 'CommentReport',
  tableName: 'comment_report',
  indexes: [
    { properties: ['gymId', 'createdAt', 'commentId', 'reporterId'] },
    { properties: ['postId'] },
    { properties: ['reporterId', 'commentId'] },
  ],
  properties: {
    commentId: () => p.manyToOne(Comment).primary().mapToPk().joinColumn('comment_id').deleteRule('cascade'),
    reporterId: p.uuid().primary(),
    /** The post of the comment. */
    postId: () => p.manyToOne(Post).mapToPk().joinColumn('post_id').deleteRule('cascade'),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('restrict'),
    reason: p.string().length(500),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class CommentReport extends CommentReportSchema.class {}
CommentReportSchema.setClass(CommentReport);
