"""English words that stand in nearly every text and say nothing of what it is about."""

from __future__ import annotations

from typing import Final

STOP_WORDS: Final = frozenset(
    """
    a an the this that these those
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose which what where when why how
    am is are was were be been being has have had having do does did doing
    can could may might must shall should will would ought
    and or but nor so yet if then else than because although though while whereas unless until
    since whether
    about above across after against along among around as at before behind below beneath beside
    between beyond by down during except for from in inside into near of off on onto out outside
    over per through throughout to toward towards under up upon via with within without
    all any both each either every few many more most much neither no none not only other others
    own same several some such
    again also ever here however just never now often once rather still there thereby therefore
    thus too very
    aren couldn didn doesn don hadn hasn haven isn mustn needn shouldn wasn weren wouldn
    """.split()
)
"""Articles, pronouns, auxiliary verbs, conjunctions, prepositions, quantifiers, a few adverbs, and
what is left of *don't* and its like. No letter but the article and the pronoun: *vitamin C* is one
word and a letter.
"""
