import type { Dispatcher } from 'undici';
import type { SigningKey } from '../settings/signing-key.ts';
import { FirstAnswer } from './first-answer.ts';

/** It has none before its request has begun, as in undici itself. */
const noController = null as unknown as Dispatcher.DispatchController;

/**
 * Signs calls as they go out. One that AWS refuses since this machine's clock is wrong is signed by AWS' clock and sent once more.
 * @param onWrongClock is told by how many milliseconds, before the call is sent again
 */
export const signedBy =
  (key: SigningKey, onWrongClock: (offMs: number) => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const send = (isRepeated: boolean) => {
      const refuseBy = (skewMs: number) => {
        let offMs: number | null = null;
        return new FirstAnswer(
          handler,
          (status, { date }) => {
            if (status === 401 || status === 403) offMs = key.correct(date, skewMs);
            return offMs !== null;
          },
          () => {
            if (offMs === null) return false;
            onWrongClock(offMs);
            send(true);
            return true;
          },
        );
      };
      key
        .sign(options)
        .then(({ headers, skewMs }) => dispatch({ ...options, headers }, isRepeated ? handler : refuseBy(skewMs)))
        .catch((error: Error) => handler.onResponseError?.(noController, error));
    };
    send(false);
    return true;
  };
