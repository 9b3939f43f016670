import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireGymAdmin, requireUser } from '#server/auth/viewer.ts';
import { columnsOf } from '#server/database/columns.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireManage } from '../access.ts';
import { audit } from '../audit/audit.ts';
import { commentOn } from './comments.ts';
import { lockedPost } from './locked-post.ts';
import { CommentReport, Report } from './post.entity.ts';
import { ReportInput, ReportShape } from './posts.shapes.ts';

const cursors = cursorsOf('postReports', z.tuple([z.iso.datetime(), uuid(), uuid()]));

/** Reports of posts and of comments. Users write them, the staff of the gym reads and dismisses them. */
export class PostReports {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** Reports a post to the staff of the gym; a second report by the same user replaces their first one. */
  async reportPost(postId: string, input: unknown): Promise<ReportShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { reason } = validated(ReportInput, input);
    return this.unit.transaction(async () => {
      const { gymId } = await lockedPost(this.unit, postId);
      const report = { postId, reporterId: userId, gymId, reason, createdAt: new Date() };
      await this.unit.em.upsert(Report, report);
      return presentReport({ ...report, commentId: null });
    });
  }

  /** As `reportPost`, for a comment. */
  async reportComment(postId: string, commentId: string, input: unknown): Promise<ReportShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { reason } = validated(ReportInput, input);
    return this.unit.transaction(async () => {
      const post = await lockedPost(this.unit, postId);
      await commentOn(this.unit, post, commentId);
      const report = {
        commentId,
        reporterId: userId,
        postId,
        gymId: post.gymId,
        reason,
        createdAt: new Date(),
      };
      await this.unit.em.upsert(CommentReport, report);
      return presentReport(report);
    });
  }

  /** The reports of a gym's posts and of comments on them, latest first; for staff of the gym. */
  async list(chosenGymId: string | null | undefined, request: PageRequest): Promise<Page<ReportShape>> {
    const gymId = requireGymAdmin(this.unit.viewer, chosenGymId);
    const after = cursors.read(request.cursor);
    const count = pageSize(request) + 1;
    // Each table is read only as far as one page needs. The ids of posts and comments are UUIDs, so a post and a comment never
    // have the same one.
    const latest = (table: string, id: string, commentId: string) =>
      `(select ${columnsOf(ReportShape, { commentId })}, ${id} as subject_id from ${table}
        where gym_id = ?${after ? ` and (created_at, ${id}, reporter_id) < (?, ?, ?)` : ''}
        order by created_at desc, ${id} desc, reporter_id desc limit ?)`;
    const values = [gymId, ...(after ?? []), count];
    const reports = await this.unit.read<ReportShape>(
      `select ${Object.keys(ReportShape.shape)
        .map((field) => `"${field}"`)
        .join(', ')} from (${latest('post_report', 'post_id', 'null::uuid')}
       union all ${latest('comment_report', 'comment_id', 'comment_id')}) as report
       order by "createdAt" desc, subject_id desc, "reporterId" desc limit ?`,
      [...values, ...values, count],
    );
    return cursors.page(reports, request, ({ createdAt, postId, commentId, reporterId }) => [
      createdAt,
      commentId ?? postId,
      reporterId,
    ]);
  }

  /** Removes the reports of a post; the post stays. For staff of the gym; audited. */
  async dismissOfPost(postId: string): Promise<void> {
    await this.dismiss(postId, null);
  }

  /** Removes the reports of a comment; the comment stays. For staff of the gym; audited. */
  async dismissOfComment(postId: string, commentId: string): Promise<void> {
    await this.dismiss(postId, commentId);
  }

  private async dismiss(postId: string, commentId: string | null): Promise<void> {
    const viewer = requireUser(this.unit.viewer);
    await this.unit.transaction(async () => {
      const post = await lockedPost(this.unit, postId, {
        decide: (stored) =>
          requireManage(viewer, 'post', stored, "Only the gym's admins may dismiss reports."),
      });
      if (commentId) await commentOn(this.unit, post, commentId);
      const dismissed = commentId
        ? await this.unit.em.nativeDelete(CommentReport, { commentId })
        : await this.unit.em.nativeDelete(Report, { postId });
      if (dismissed === 0) return;
      await audit(this.unit, {
        gymId: post.gymId,
        actorId: viewer.userId,
        action: 'REPORTS_DISMISSED',
        details: { postId, ...(commentId && { commentId }), reports: dismissed },
      });
    });
  }
}

const presentReport = ({
  postId,
  commentId,
  reporterId,
  reason,
  createdAt,
}: Omit<ReportShape, 'createdAt'> & { createdAt: Date }): ReportShape => ({
  postId,
  commentId,
  reporterId,
  reason,
  createdAt: createdAt.toISOString(),
});
