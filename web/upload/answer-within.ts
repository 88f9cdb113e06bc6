// Waits for an answer no longer than somebody would: for questions that may never be answered.

/** What comes later is ignored. @param late the answer when the time is over. */
export function answerWithin<Answer>(asked: Promise<Answer>, maxMs: number, late: Answer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late), maxMs)
    void asked.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
