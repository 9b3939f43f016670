/** @throws Error if the answer does not arrive in time; it may still arrive later, which is ignored */
export async function inTime<Result>(answer: Promise<Result>, withinMillis: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      // If an answer arrived while this process was busy, it is read before `setImmediate` calls this function.
      () => setImmediate(() => reject(new Error(`Redis did not answer within ${withinMillis} ms`))),
      withinMillis,
    );
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
