// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealKey} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {LibDeals} from "../../contracts/libraries/LibDeals.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {ExactToken} from "./support/ExactToken.sol";
import {ProofBase} from "./support/ProofBase.sol";

/// @notice Properties of deals: their words, the writers of words, the conditions of a payment, and the lock.
/// @dev "Any call" is every function of the diamond that is not a view and no cut, with any arguments, and any unknown
///      selector, by any caller with any coins; lists of deals have 0 or 2 items. Cuts are in Cuts.t.sol. Every payment
///      succeeds with the one token here; Money.t.sol has others.
contract DealsProofs is ProofBase {
    function setUp() public override {
        super.setUp();
        new ExactToken();
    }

    /// @notice A paid or cancelled deal is final: no call by anybody changes its word.
    /// @dev For every id, every word with one of the two final states, and any call; the call may name the same id or
    ///      others. One call proves it for all sequences, because it starts from any such word.
    function check_final_word_never_changes(address caller, uint256 value, uint256 dealId, bytes32 word) public {
        vm.assume(statusOf(word) == LibDeals.PAID || statusOf(word) == LibDeals.CANCELLED);
        setWord(dealId, word);
        callDeals(caller, value);
        assert(wordOf(dealId) == word);
    }

    /// @notice An open deal stays open, becomes paid or becomes cancelled, and keeps its terms in each case.
    /// @dev For every id, every open word, and any call.
    function check_open_word_keeps_its_terms(address caller, uint256 value, uint256 dealId, bytes32 word) public {
        vm.assume(statusOf(word) == LibDeals.OPEN);
        setWord(dealId, word);
        callDeals(caller, value);
        bytes32 held = wordOf(dealId);
        assert(held >> 8 == word >> 8);
        uint256 status = statusOf(held);
        assert(status == LibDeals.OPEN || status == LibDeals.PAID || status == LibDeals.CANCELLED);
    }

    /// @notice A caller who is not an operator can change a word in one way only: from open to paid, by a payment
    ///         function.
    /// @dev For every id, every word (also none), and any call by any account without the role: root, upgrader, guardian,
    ///      the payee, the diamond and the facets among them.
    function check_only_operators_write_words(address caller, uint256 value, uint256 dealId, bytes32 word) public {
        vm.assume(!hasRole(Roles.OPERATOR, caller));
        setWord(dealId, word);
        (, bytes memory data) = callDeals(caller, value);
        bytes32 held = wordOf(dealId);
        if (held == word) return;
        assert(statusOf(word) == LibDeals.OPEN);
        assert(held == withStatus(word, LibDeals.PAID));
        assert(isPayment(bytes4(data)));
    }

    /// @notice A successful payment was allowed: the deal was open, its word was made from exactly these terms, it had
    ///         not expired, the network was not paused, the caller is the payer that the terms name, the payee is
    ///         neither zero nor the diamond, the amount is not zero, and the token fits the function.
    /// @dev For all terms, words, callers, coins, times and signatures, by each of the three ways to pay.
    function check_payment_needs_its_terms(
        Deal memory deal,
        address caller,
        uint256 value,
        bytes32 word,
        uint64 time,
        bool paused,
        uint8 way
    ) public {
        setWord(deal.dealId, word);
        vm.warp(time);
        pauseIf(paused);
        bool ok = pay(deal, caller, value, way);
        if (!ok) return;
        assert(word == withStatus(IDealFacet(diamond).termsHash(deal), LibDeals.OPEN));
        assertPayable(deal, caller, value, time, paused, way);
    }

    /// @notice An allowed payment in native coin succeeds, for every payer and every balance of the diamond: nobody
    ///         can make a deal unpayable.
    /// @dev For all terms that fit, all callers with enough coins, the payee among them, a payee without code (one with code
    ///      may refuse), and any coins in the diamond. Strangers change nothing else that a payment reads: not the word
    ///      (`check_only_operators_write_words`), not the lock, not the selector table.
    function check_allowed_payment_succeeds(Deal memory deal, address caller, uint64 time, uint96 held) public {
        vm.assume(deal.token == address(0) && deal.amount != 0 && deal.amount < 2 ** 96);
        vm.assume(deal.payee != address(0) && deal.payee.code.length == 0);
        vm.assume(deal.payer == address(0) || deal.payer == caller);
        vm.assume(time < deal.expiresAt);
        setWord(deal.dealId, withStatus(IDealFacet(diamond).termsHash(deal), LibDeals.OPEN));
        vm.warp(time);
        vm.deal(diamond, held);
        assert(pay(deal, caller, deal.amount, 1));
    }

    /// @notice A deal is paid at most once, for every pair of the three payment functions, every caller and all terms.
    /// @dev For any word to begin with and any two payments of the same id.
    function check_one_payment_per_deal(
        Deal memory first,
        Deal memory second,
        address caller,
        address other,
        uint256 value,
        uint8 way,
        uint8 otherWay,
        bytes32 word
    ) public {
        vm.assume(first.dealId == second.dealId);
        setWord(first.dealId, word);
        bool once = pay(first, caller, value, way);
        vm.assume(once);
        assert(!pay(second, other, value, otherWay));
    }

    /// @notice Creating deals writes a word only where none was, made from the first terms given, and changes no other
    ///         word.
    /// @dev For an operator, any two items (also of the same id), and any earlier words.
    function check_creating_never_overwrites(DealKey memory a, DealKey memory b, bytes32 word, bytes32 other) public {
        setWord(b.dealId, other);
        setWord(a.dealId, word);
        if (a.dealId == b.dealId) other = word;
        DealKey[] memory list = new DealKey[](2);
        (list[0], list[1]) = (a, b);
        vm.prank(OPERATOR);
        (bool ok,) = diamond.call(abi.encodeCall(IDealFacet.createDeals, (list)));
        assert(ok);
        bytes32 created = withStatus(a.termsHash, LibDeals.OPEN);
        assert(wordOf(a.dealId) == (word == 0 ? created : word));
        if (a.dealId != b.dealId) {
            assert(wordOf(b.dealId) == (other == 0 ? withStatus(b.termsHash, LibDeals.OPEN) : other));
        }
    }

    /// @notice Cancelling reverses no payment: an open deal becomes cancelled, an unknown id a tombstone; paid deals
    ///         and deals that are not named do not change.
    /// @dev For an operator, any two ids (also the same twice), any words of deals, and any third deal.
    function check_cancelling_never_takes_back(
        uint256[2] memory dealIds,
        bytes32[2] memory words,
        uint256 otherId,
        bytes32 other
    ) public {
        vm.assume(otherId != dealIds[0] && otherId != dealIds[1]);
        setWord(otherId, other);
        uint256[] memory list = new uint256[](2);
        for (uint256 i; i < 2; ++i) {
            vm.assume(
                words[i] == 0 || (statusOf(words[i]) >= LibDeals.OPEN && statusOf(words[i]) <= LibDeals.CANCELLED)
            );
            setWord(dealIds[i], words[i]);
            list[i] = dealIds[i];
        }
        if (dealIds[0] == dealIds[1]) words[0] = words[1];
        vm.prank(OPERATOR);
        (bool ok,) = diamond.call(abi.encodeCall(IDealFacet.cancelDeals, (list)));
        assert(ok);
        for (uint256 i; i < 2; ++i) {
            bool paid = statusOf(words[i]) == LibDeals.PAID;
            assert(wordOf(dealIds[i]) == (paid ? words[i] : withStatus(words[i], LibDeals.CANCELLED)));
        }
        assert(wordOf(otherId) == other);
    }

    /// @notice Terms that differ in any field have different hashes.
    /// @dev For any two deals, under the assumption that keccak256 has no collisions: the proof shows that every field
    ///      enters the hash whole. A word holds 248 of the 256 bits.
    function check_terms_hash_binds_every_field(Deal memory a, Deal memory b) public view {
        if (IDealFacet(diamond).termsHash(a) != IDealFacet(diamond).termsHash(b)) return;
        assert(a.dealId == b.dealId);
        assert(a.token == b.token && a.payee == b.payee && a.payer == b.payer);
        assert(a.amount == b.amount && a.expiresAt == b.expiresAt);
    }

    /// @notice The same terms have another hash on another chain and in another diamond.
    /// @dev For any terms, any two chain ids and two diamonds of the same registry.
    function check_terms_hash_binds_chain_and_diamond(Deal memory deal, uint64 chain, uint64 otherChain) public {
        vm.chainId(chain);
        bytes32 terms = IDealFacet(diamond).termsHash(deal);
        address otherDiamond = registry.createDiamond(NODE, bytes16(uint128(0x33)));
        assert(IDealFacet(otherDiamond).termsHash(deal) != terms);
        vm.assume(chain != otherChain);
        vm.chainId(otherChain);
        assert(IDealFacet(diamond).termsHash(deal) != terms);
    }

    /// @notice The lock is free again after every call, successful or not: no call leaves a diamond unusable.
    /// @dev For any call in any state of one deal, or a cut that removes a function, by any caller and both functions; then an
    ///      operator calls in the same transaction.
    function check_lock_is_given_back(
        address caller,
        uint256 value,
        uint256 dealId,
        bytes32 word,
        bool cuts,
        bool checked
    ) public {
        setWord(dealId, word);
        uint8 removal = uint8(IDiamondCut.FacetCutAction.Remove);
        if (cuts) cut(caller, value, checked, address(0), removal, IDealFacet.sweep.selector);
        else callDeals(caller, value);
        vm.prank(OPERATOR);
        (bool ok,) = diamond.call(abi.encodeCall(IDealFacet.cancelDeals, (new uint256[](0))));
        assert(ok);
    }
}
