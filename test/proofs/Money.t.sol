// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {LibDeals} from "../../contracts/libraries/LibDeals.sol";
import {TestToken} from "../../contracts/mocks/TestToken.sol";
import {ProofBase} from "./support/ProofBase.sol";
import {TellerToken} from "./support/TellerToken.sol";

/// @notice Properties of money: who loses it, who gets it, and that the diamond keeps none.
/// @dev "Any call" as in Deals.t.sol. The token is an ordinary one with permit, with any balances; tokens that lie have a
///      proof of their own. Balances of native coin are at most 2^128, which halmos assumes.
contract MoneyProofs is ProofBase {
    address internal constant VICTIM = address(0x2001);

    TestToken internal token;

    function setUp() public override {
        super.setUp();
        token = new TestToken("Test USD", "TUSD", 6);
        vm.prank(VICTIM);
        token.approve(diamond, type(uint256).max);
    }

    /// @notice A payment in native coin takes the amount from the caller and gives all of it to the payee; the
    ///         balances of the diamond and of everybody else do not change.
    /// @dev For all terms, words, callers other than the payee, coins and balances, and any third account.
    function check_native_payment_is_exact(
        Deal memory deal,
        address caller,
        uint256 value,
        Coins memory coins,
        bytes32 word
    ) public {
        setWord(deal.dealId, word);
        uint256 kept = setCoins(deal, caller, coins);
        vm.assume(pay(deal, caller, value, 1));
        assertExact(deal, caller, value, coins, kept);
    }

    /// @notice A payment in tokens takes exactly the amount from the caller and gives exactly the amount to the payee;
    ///         nobody else's tokens move, and none of the diamond's. The payee itself cannot pay.
    /// @dev For all terms, words, callers, allowances and balances, with and without any permit, and any third account.
    function check_token_payment_is_exact(
        Deal memory deal,
        address caller,
        address other,
        uint96[3] memory balances,
        bool withPermit,
        bytes32 word
    ) public {
        deal.token = address(token);
        vm.assume(other != caller && other != deal.payee);
        setWord(deal.dealId, word);
        token.mint(caller, balances[0]);
        token.mint(deal.payee, balances[1]);
        token.mint(other, balances[2]);
        vm.prank(caller);
        token.approve(diamond, svm.createUint256("allowance"));
        vm.assume(pay(deal, caller, 0, withPermit ? 2 : 0));
        assert(caller != deal.payee);
        assert(token.balanceOf(deal.payee) == uint256(balances[1]) + deal.amount);
        assert(token.balanceOf(caller) == uint256(balances[0]) - deal.amount);
        assert(token.balanceOf(other) == balances[2]);
        assert(statusOf(wordOf(deal.dealId)) == LibDeals.PAID);
    }

    /// @notice With a lying token, a payment succeeds only if the token itself reports exactly the amount more for the
    ///         payee than before, and the transfer returns true or nothing.
    /// @dev For any balances that the token reports for the payee and others, any answer of one word or none, all terms and
    ///      callers, with and without any permit. A token that lies about balances can cheat only those who chose it for a deal.
    function check_lying_token_pays_only_what_it_shows(
        Deal memory deal,
        address caller,
        TellerToken.Told memory told,
        bool withPermit,
        bytes32 word
    ) public {
        told.payee = deal.payee;
        deal.token = address(new TellerToken(told));
        setWord(deal.dealId, word);
        vm.assume(pay(deal, caller, 0, withPermit ? 2 : 0));
        assert(told.silent || told.answer == 1);
        assert(told.afterwards > told.beforehand && told.afterwards - told.beforehand == deal.amount);
    }

    /// @notice The diamond never keeps and never loses coins: no call but a sweep by root changes its balance.
    /// @dev For any balance, any call, and any state of one deal.
    function check_coins_of_the_diamond_stay(address caller, uint96 value, uint96 held, uint256 dealId, bytes32 word)
        public
    {
        vm.assume(caller != diamond);
        setWord(dealId, word);
        vm.deal(diamond, held);
        (, bytes memory data) = callDeals(caller, value);
        assert(diamond.balance == held || (bytes4(data) == IDealFacet.sweep.selector && caller == ROOT));
    }

    /// @notice No call but a sweep by root changes the diamond's tokens.
    /// @dev For any balance, any call, and any state of one deal of any terms.
    function check_tokens_of_the_diamond_stay(address caller, uint96 held, uint256 dealId, bytes32 word) public {
        vm.assume(caller != diamond);
        setWord(dealId, word);
        token.mint(diamond, held);
        token.mint(VICTIM, type(uint128).max);
        (, bytes memory data) = callDeals(caller, 0);
        assert(token.balanceOf(diamond) == held || (bytes4(data) == IDealFacet.sweep.selector && caller == ROOT));
    }

    /// @notice Only its owner's payment of an open deal uses an allowance to the diamond: nobody else can use it, by
    ///         any function, with any role.
    /// @dev For a victim with any balance and the greatest allowance, any call by anybody, and any state of one deal.
    function check_allowance_is_for_its_giver_only(address caller, uint96 held, uint256 dealId, bytes32 word) public {
        vm.assume(caller != diamond);
        setWord(dealId, word);
        token.mint(VICTIM, held);
        (, bytes memory data) = callDeals(caller, 0);
        if (token.balanceOf(VICTIM) >= held) return;
        assert(caller == VICTIM);
        assert(bytes4(data) == IDealFacet.payToken.selector || bytes4(data) == IDealFacet.payTokenWithPermit.selector);
        assert(statusOf(word) == LibDeals.OPEN && wordOf(dealId) == withStatus(word, LibDeals.PAID));
    }

    /// @notice A permit cannot be used against its signer: a thief who takes it out of the mempool pays with their own
    ///         tokens, and the signer gains no allowance.
    /// @dev For any terms and any signature. `ecrecover` may answer any address, so every signature that the victim ever made
    ///      is among them; the victim has given no allowance before, and the thief is rich.
    function check_permit_can_not_be_redirected(
        Deal memory deal,
        address thief,
        address spender,
        uint96 held,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s,
        bytes32 word
    ) public {
        vm.assume(thief != VICTIM && thief != diamond && spender != diamond);
        vm.prank(VICTIM);
        token.approve(diamond, 0);
        token.mint(VICTIM, held);
        token.mint(thief, type(uint128).max);
        vm.prank(thief);
        token.approve(diamond, type(uint256).max);
        setWord(deal.dealId, word);
        vm.prank(thief);
        (bool ok,) = diamond.call(abi.encodeCall(IDealFacet.payTokenWithPermit, (deal, deadline, v, r, s)));
        assert(token.balanceOf(VICTIM) >= held);
        assert(token.allowance(VICTIM, spender) == 0 && token.allowance(VICTIM, diamond) == 0);
        assert(!ok || statusOf(wordOf(deal.dealId)) == LibDeals.PAID);
    }

    /// @notice Only root can move stray tokens and coins off the diamond, and all of them go to the receiver that root
    ///         names.
    /// @dev For any caller, receiver and balances, of the token or of native coin.
    function check_only_root_sweeps(address caller, address to, uint96 held, bool coins) public {
        vm.assume(caller != diamond && to.code.length == 0);
        if (coins) vm.deal(diamond, held);
        else token.mint(diamond, held);
        uint256 before_ = coins ? to.balance : token.balanceOf(to);
        vm.prank(caller);
        (bool ok,) = diamond.call(abi.encodeCall(IDealFacet.sweep, (coins ? address(0) : address(token), to)));
        assert(ok == (caller == ROOT && to != address(0)));
        if (!ok) return;
        assert((coins ? to.balance : token.balanceOf(to)) == before_ + held);
        assert((coins ? diamond.balance : token.balanceOf(diamond)) == 0);
    }
}
