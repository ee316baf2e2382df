import { type Conclusion, failure } from '../../events/conclusion.ts';
import { type CollectFailure, collectConclusion, faultCode } from '../decide.ts';
import type { TransactionContext } from './context.ts';
import type { Authorization, Withdrawal } from './outcomes.ts';

type Concluded = Pick<TransactionContext, 'conclusion'>;

export function collectEnd(end: CollectFailure): Concluded {
  return { conclusion: collectConclusion(end) };
}

/** For a failed device, or a defect in its session. */
export function faultEnd(error: unknown): Concluded {
  return {
    conclusion: failure('ERROR', 'collectingFailed', `the payment could not be collected (${faultCode(error)})`),
  };
}

export function endOfAuthorization(output: Authorization): Concluded & Pick<TransactionContext, 'stored'> {
  if (!('conclusion' in output)) return {};
  const { conclusion } = output;
  return 'stored' in output && output.stored ? { conclusion, stored: output.stored } : { conclusion };
}

export function endOfWithdrawal(output: Withdrawal | undefined): Concluded & Pick<TransactionContext, 'stored'> {
  return output && output.kind !== 'closed' ? endOfAuthorization(output) : {};
}

export function unwritten(): Concluded {
  return {
    conclusion: failure(
      'DATABASE_ERROR',
      'paymentNotWritten',
      'the journal could not be written, the payment was not sent',
    ),
  };
}

export function unwrittenAnswer(): Concluded {
  return {
    conclusion: failure(
      'DATABASE_ERROR',
      'answerNotWritten',
      'the journal could not be written, the payment is reversed',
    ),
  };
}

export function conclusionIn(context: TransactionContext): Conclusion {
  return context.conclusion ?? failure('UNKNOWN', 'outcomeUnknown', 'the transaction ended without a conclusion');
}
