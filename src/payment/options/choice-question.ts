import { type Amount, majorText } from '../../base/domain/amount.ts';
import type { ScreenAction, ScreenView, ShownQuestion } from '../contracts/screen.ts';
import { nothingAdded, type OptionAnswer, type OptionQuestion } from './option-question.ts';
import type { PlannedQuestion } from './sale-option.ts';
import type { OptionLabel } from './descriptions.ts';

/** One answer that can be chosen. The first one that adds nothing is the answer if the customer does not choose. */
export interface OptionChoice extends OptionAnswer {
  /** By which the page names it. */
  readonly id: string;
  readonly label: OptionLabel;
}

interface ChoiceTerms {
  /** The amount without an answer. */
  readonly amount: Amount;
  readonly title: OptionLabel;
  readonly choices: readonly OptionChoice[];
  readonly timeoutMs: number;
}

/** A question with a few answers, in the option's own words: the page has a button for each. */
export function choiceQuestion({ amount, title, choices, timeoutMs }: ChoiceTerms): PlannedQuestion {
  const major = (minor: bigint) => majorText({ ...amount, minor });
  const shown = choices.map(({ id, label, addedMinor }): ShownQuestion['choices'][number] => ({
    id,
    label,
    ...(addedMinor === 0n ? {} : { added: major(addedMinor), total: major(amount.minor + addedMinor) }),
  }));
  return {
    begin(): OptionQuestion {
      let isRefused = false;
      return {
        steps: { choosing: 'choosingOption', keeping: 'keepingOption' },
        timeoutMs,
        unanswered: answerOf(choices.find(({ addedMinor }) => addedMinor === 0n)),
        get view(): Pick<ScreenView, 'scene' | 'question' | 'hint'> {
          const hint = isRefused ? { hint: 'optionNotPossible' as const } : {};
          return { scene: 'chooseOption', question: { title, choices: shown }, ...hint };
        },
        act(action: ScreenAction) {
          const chosen = action.kind === 'option' ? choices.find(({ id }) => id === action.choice) : undefined;
          return chosen && answerOf(chosen);
        },
        refuse() {
          isRefused = true;
        },
      };
    },
  };
}

function answerOf({ addedMinor, data }: OptionAnswer = nothingAdded): OptionAnswer {
  return { addedMinor, data };
}
