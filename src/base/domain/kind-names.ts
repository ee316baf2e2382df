import { type TransactionRow, type TransactionType, transactionTable, transactionTypes } from './transaction-kind.ts';

type Language = keyof (typeof transactionTable)['SALE']['printed'];

/** The names of all types on paper. */
export function printedNames(language: Language): Readonly<Record<TransactionType, string>> {
  const names = transactionTypes.map((type) => [type, transactionTable[type].printed[language]]);
  return Object.fromEntries(names) as Record<TransactionType, string>;
}

/** By language; a sale has none. */
export type ShownNames = Readonly<Record<Language, Readonly<Record<Exclude<TransactionType, 'SALE'>, string>>>>;

/** The names of all types at the screen, by language. */
export function shownNames(): ShownNames {
  const languages = Object.keys(transactionTable.SALE.printed) as readonly Language[];
  const namesIn = (language: Language) =>
    transactionTypes.flatMap((type) => {
      const row: TransactionRow = transactionTable[type];
      return row.shown ? [[type, row.shown[language]]] : [];
    });
  const names = languages.map((language) => [language, Object.fromEntries(namesIn(language))]);
  return Object.fromEntries(names) as ShownNames;
}
