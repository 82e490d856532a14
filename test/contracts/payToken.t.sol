// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealKey} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {LibLock} from "../../contracts/libraries/LibLock.sol";
import {LibToken} from "../../contracts/libraries/LibToken.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {
    BombToken,
    FalseToken,
    FeeToken,
    GenerousToken,
    LyingToken,
    MovingFalseToken,
    MuteToken,
    ReentrantToken,
    ShortAnswerToken,
    ShrinkingToken,
    SilentToken
} from "../../contracts/mocks/HostileTokens.sol";
import {TestToken} from "../../contracts/mocks/TestToken.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract PayTokenTest is CaratTest {
    function expectUnpaid(Deal memory deal, bytes memory reason) internal {
        bytes32 held = wordOf(deal.dealId);
        vm.expectRevert(reason);
        vm.prank(buyer);
        deals.payToken(deal);
        assertEq(wordOf(deal.dealId), held);
    }

    function give(TestToken hostile) internal returns (Deal memory) {
        return give(hostile, ID);
    }

    function give(TestToken hostile, uint256 dealId) internal returns (Deal memory deal) {
        hostile.mint(buyer, 1e12);
        vm.prank(buyer);
        hostile.approve(diamond, type(uint256).max);
        deal = tokenDeal(address(hostile));
        deal.dealId = dealId;
        open(deal);
    }

    function test_reverts_when_paused() public {
        Deal memory deal = tokenDeal();
        open(deal);
        pause();
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.Paused.selector));
    }

    function test_reverts_when_deal_is_unknown() public {
        expectUnpaid(tokenDeal(), abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, bytes32(0)));
    }

    function test_reverts_when_deal_is_cancelled() public {
        Deal memory deal = tokenDeal();
        open(deal);
        cancel(ID);
        bytes32 held = word(deals.termsHash(deal), 3);
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, held));
    }

    function test_reverts_when_id_is_a_tombstone() public {
        cancel(ID);
        expectUnpaid(tokenDeal(), abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, bytes32(uint256(3))));
    }

    function test_reverts_when_paid_twice() public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.prank(buyer);
        deals.payToken(deal);
        bytes32 held = word(deals.termsHash(deal), 2);
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, held));
        assertEq(token.balanceOf(payee), deal.amount);
    }

    function test_reverts_when_any_term_differs() public {
        Deal memory deal = tokenDeal();
        open(deal);
        for (uint256 field; field < 5; ++field) {
            Deal memory other = tokenDeal();
            if (field == 0) other.token = address(new TestToken("Worthless", "WRT", 6));
            if (field == 1) other.payee = buyer;
            if (field == 2) other.payer = buyer;
            if (field == 3) other.amount -= 1;
            if (field == 4) other.expiresAt += 1;
            expectUnpaid(
                other, abi.encodeWithSelector(IDealFacet.TermsMismatch.selector, ID, wordOf(ID), deals.termsHash(other))
            );
        }
    }

    /// @dev The word keeps all bits of the terms hash but the lowest eight.
    function test_reverts_when_one_bit_of_the_terms_differs() public {
        Deal memory deal = tokenDeal();
        for (uint256 bit = 8; bit < 256; ++bit) {
            deal.dealId = ID + bit;
            bytes32 terms = deals.termsHash(deal);
            vm.prank(operator);
            deals.createDeals(one(DealKey(deal.dealId, terms ^ bytes32(1 << bit))));
            expectUnpaid(
                deal, abi.encodeWithSelector(IDealFacet.TermsMismatch.selector, deal.dealId, wordOf(deal.dealId), terms)
            );
        }
    }

    function test_reverts_when_terms_are_of_another_diamond() public {
        Deal memory deal = tokenDeal();
        DealKey[] memory keys = keysOf(deal);
        useDiamond(registry.createDiamond(NODE, bytes16(uint128(0x33))));
        vm.prank(operator);
        deals.createDeals(keys);
        expectUnpaid(
            deal, abi.encodeWithSelector(IDealFacet.TermsMismatch.selector, ID, wordOf(ID), deals.termsHash(deal))
        );
    }

    function test_reverts_when_terms_are_of_another_chain() public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.chainId(5);
        expectUnpaid(
            deal, abi.encodeWithSelector(IDealFacet.TermsMismatch.selector, ID, wordOf(ID), deals.termsHash(deal))
        );
    }

    function test_expiry_is_exclusive_to_the_second() public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.warp(deal.expiresAt);
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.DealExpired.selector, ID, deal.expiresAt, deal.expiresAt));
        vm.warp(deal.expiresAt - 1);
        vm.prank(buyer);
        deals.payToken(deal);
        assertEq(token.balanceOf(payee), deal.amount);
    }

    function test_expiry_counts_all_its_bits() public {
        for (uint256 bit = 64; bit < 256; ++bit) {
            Deal memory deal = tokenDeal();
            deal.dealId = ID + bit;
            deal.expiresAt = 1 << bit;
            open(deal);
            vm.prank(buyer);
            deals.payToken(deal);
        }
        assertEq(token.balanceOf(payee), 192 * 12_500_000);
    }

    function test_reverts_when_bound_to_another_payer() public {
        Deal memory deal = tokenDeal();
        deal.payer = stranger;
        open(deal);
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.NotPayer.selector, buyer, stranger));
    }

    function test_pays_when_bound_to_the_payer() public {
        Deal memory deal = tokenDeal();
        deal.payer = buyer;
        open(deal);
        vm.prank(buyer);
        deals.payToken(deal);
        assertEq(token.balanceOf(payee), deal.amount);
    }

    function test_reverts_when_deal_is_in_native_coin() public {
        Deal memory deal = nativeDeal();
        open(deal);
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.WrongToken.selector, address(0)));
    }

    function test_reverts_when_value_is_sent_along() public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.prank(buyer);
        (bool ok,) = diamond.call{value: 1}(abi.encodeCall(IDealFacet.payToken, (deal)));
        assertFalse(ok);
        assertEq(diamond.balance, 0);
    }

    function test_reverts_when_payee_is_zero_or_the_diamond() public {
        address[2] memory payees = [address(0), diamond];
        for (uint256 i; i < payees.length; ++i) {
            Deal memory deal = tokenDeal();
            deal.dealId = ID + i;
            deal.payee = payees[i];
            open(deal);
            expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.InvalidPayee.selector, payees[i]));
        }
    }

    function test_reverts_when_amount_is_zero() public {
        Deal memory deal = tokenDeal();
        deal.amount = 0;
        open(deal);
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.InvalidAmount.selector, 0));
    }

    function test_passes_on_the_reason_of_the_token() public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.prank(buyer);
        token.approve(diamond, deal.amount - 1);
        expectUnpaid(
            deal,
            abi.encodeWithSelector(TestToken.ERC20InsufficientAllowance.selector, diamond, deal.amount - 1, deal.amount)
        );
    }

    function test_reverts_when_payer_pays_itself() public {
        Deal memory deal = tokenDeal();
        deal.payee = buyer;
        open(deal);
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.InexactTransfer.selector, 0, deal.amount));
    }

    function test_pays_and_tells() public {
        Deal memory deal = tokenDeal();
        open(deal);
        uint256 beforehand = token.balanceOf(buyer);
        bytes32 terms = deals.termsHash(deal);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.DealPaid(ID, terms, buyer, address(token), payee, deal.amount);
        vm.prank(buyer);
        deals.payToken(deal);
        assertEq(wordOf(ID), word(terms, 2));
        assertEq(token.balanceOf(payee), deal.amount);
        assertEq(token.balanceOf(buyer), beforehand - deal.amount);
        assertEq(token.balanceOf(diamond), 0);
    }

    function test_allowance_of_others_is_out_of_reach() public {
        Deal memory deal = tokenDeal();
        open(deal);
        // The buyer has approved everything; a stranger who pays still pays with its own.
        vm.expectRevert(abi.encodeWithSelector(TestToken.ERC20InsufficientAllowance.selector, diamond, 0, deal.amount));
        vm.prank(stranger);
        deals.payToken(deal);
    }

    function test_several_deals_in_one_transaction() public {
        Deal memory first = tokenDeal();
        Deal memory second = tokenDeal();
        second.dealId = ID + 1;
        open(first);
        open(second);
        vm.startPrank(buyer);
        deals.payToken(first);
        deals.payToken(second);
        assertEq(token.balanceOf(payee), first.amount + second.amount);
    }

    function test_reverts_when_token_has_no_code() public {
        Deal memory deal = tokenDeal(makeAddr("no code"));
        open(deal);
        expectUnpaid(deal, abi.encodeWithSelector(LibToken.TokenCallFailed.selector, deal.token));
    }

    function test_reverts_when_token_is_a_carat_contract() public {
        address[4] memory tokens = [diamond, address(registry), address(batcher), dealFacet];
        for (uint256 i; i < tokens.length; ++i) {
            Deal memory deal = tokenDeal(tokens[i]);
            deal.dealId = ID + i;
            open(deal);
            expectUnpaid(deal, abi.encodeWithSelector(LibToken.TokenCallFailed.selector, tokens[i]));
        }
    }

    function test_reverts_when_token_takes_a_fee() public {
        Deal memory deal = give(new FeeToken());
        uint256 received = deal.amount - deal.amount / 100;
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.InexactTransfer.selector, received, deal.amount));
        assertEq(TestToken(deal.token).balanceOf(buyer), 1e12);
    }

    function test_reverts_when_token_takes_a_fee_of_any_amount() public {
        FeeToken hostile = new FeeToken();
        hostile.mint(buyer, type(uint256).max);
        vm.prank(buyer);
        hostile.approve(diamond, type(uint256).max);
        for (uint256 bit = 7; bit < 256; ++bit) {
            Deal memory deal = tokenDeal(address(hostile));
            deal.dealId = ID + bit;
            deal.amount = 1 << bit;
            open(deal);
            uint256 received = deal.amount - deal.amount / 100;
            expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.InexactTransfer.selector, received, deal.amount));
        }
    }

    function test_reverts_when_token_credits_too_much() public {
        Deal memory deal = give(new GenerousToken());
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.InexactTransfer.selector, deal.amount + 1, deal.amount));
    }

    function test_reverts_when_token_takes_from_the_payee() public {
        Deal memory deal = give(new ShrinkingToken());
        TestToken(deal.token).mint(payee, 5);
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.InexactTransfer.selector, 0, deal.amount));
    }

    function test_reverts_when_token_lies() public {
        Deal memory deal = give(new LyingToken());
        expectUnpaid(deal, abi.encodeWithSelector(IDealFacet.InexactTransfer.selector, 0, deal.amount));
    }

    function test_reverts_when_token_returns_false() public {
        Deal memory deal = give(new FalseToken());
        expectUnpaid(deal, abi.encodeWithSelector(LibToken.TokenCallFailed.selector, deal.token));
        Deal memory moving = give(new MovingFalseToken(), ID + 1);
        expectUnpaid(moving, abi.encodeWithSelector(LibToken.TokenCallFailed.selector, moving.token));
    }

    function test_reverts_when_token_answers_too_little() public {
        Deal memory deal = give(new ShortAnswerToken());
        // The balance of 1 that was read last is what a careless reading would take for "true".
        TestToken(deal.token).mint(payee, 1);
        expectUnpaid(deal, abi.encodeWithSelector(LibToken.TokenCallFailed.selector, deal.token));
    }

    /// @dev "True" is the word 1; a word that is neither 0 nor 1 is no answer.
    function testFuzz_reverts_when_token_answers_nonsense(uint256 answer) public {
        vm.assume(answer != 1);
        Deal memory deal = tokenDeal();
        open(deal);
        vm.mockCall(deal.token, abi.encodeWithSelector(TestToken.transferFrom.selector), abi.encode(answer));
        expectUnpaid(deal, abi.encodeWithSelector(LibToken.TokenCallFailed.selector, deal.token));
    }

    function test_reason_of_512_bytes_is_the_longest_passed_on() public {
        Deal memory deal = tokenDeal();
        open(deal);
        bytes memory longest = abi.encodePacked(bytes4("long"), new bytes(508));
        vm.mockCallRevert(deal.token, abi.encodeWithSelector(TestToken.transferFrom.selector), longest);
        expectUnpaid(deal, longest);
        vm.mockCallRevert(
            deal.token, abi.encodeWithSelector(TestToken.transferFrom.selector), bytes.concat(longest, "!")
        );
        expectUnpaid(deal, abi.encodeWithSelector(LibToken.TokenCallFailed.selector, deal.token));
    }

    function test_reverts_when_token_gives_no_reason() public {
        Deal memory deal = give(new MuteToken());
        expectUnpaid(deal, abi.encodeWithSelector(LibToken.TokenCallFailed.selector, deal.token));
    }

    function test_huge_reason_of_a_token_is_not_copied() public {
        Deal memory deal = give(new BombToken(true));
        expectUnpaid(deal, abi.encodeWithSelector(LibToken.TokenCallFailed.selector, deal.token));
    }

    function test_huge_answer_of_a_token_is_not_copied() public {
        Deal memory deal = give(new BombToken(false));
        vm.prank(buyer);
        deals.payToken(deal);
        assertEq(TestToken(deal.token).balanceOf(payee), deal.amount);
    }

    function test_pays_with_a_token_that_returns_nothing() public {
        Deal memory deal = give(new SilentToken());
        vm.prank(buyer);
        deals.payToken(deal);
        assertEq(TestToken(deal.token).balanceOf(payee), deal.amount);
    }

    /// @dev Every function that changes the diamond is tried from inside a payment, by a token with all roles.
    function test_reentering_token_meets_the_lock() public {
        ReentrantToken hostile = new ReentrantToken();
        vm.startPrank(root);
        registry.setRole(Roles.OPERATOR, address(hostile), true);
        registry.setRole(Roles.UPGRADER, address(hostile), true);
        vm.stopPrank();
        hostile.mint(buyer, 1e12);
        vm.prank(buyer);
        hostile.approve(diamond, type(uint256).max);
        Deal memory inner = nativeDeal();
        inner.dealId = ID + 100;

        bytes[] memory payloads = new bytes[](8);
        payloads[0] = abi.encodeCall(IDealFacet.createDeals, (keysOf(inner)));
        payloads[1] = abi.encodeCall(IDealFacet.cancelDeals, (one(ID)));
        payloads[2] = abi.encodeCall(IDealFacet.payToken, (tokenDeal()));
        payloads[3] = abi.encodeCall(IDealFacet.payNative, (inner));
        payloads[4] = abi.encodeCall(IDealFacet.payTokenWithPermit, (tokenDeal(), 0, 0, 0, 0));
        payloads[5] = abi.encodeCall(IDealFacet.sweep, (address(0), stranger));
        payloads[6] = abi.encodeCall(IDiamondCut.diamondCut, (new IDiamondCut.FacetCut[](0), address(0), ""));
        payloads[7] = abi.encodeCall(
            IDiamondCut.diamondCutChecked,
            (new IDiamondCut.FacetCut[](0), address(0), "", keccak256(abi.encode(loupe.facets())))
        );
        for (uint256 i; i < payloads.length; ++i) {
            Deal memory deal = tokenDeal(address(hostile));
            deal.dealId = ID + i;
            open(deal);
            hostile.arm(diamond, payloads[i]);
            vm.prank(buyer);
            deals.payToken(deal);
            assertFalse(hostile.reentered());
            assertEq(hostile.answer(), abi.encodeWithSelector(LibLock.Reentrant.selector));
        }
        assertEq(hostile.balanceOf(payee), payloads.length * 12_500_000);
    }

    /// @dev A payment on another diamond from inside the first one, to the same payee, can't count twice.
    function test_payment_inside_a_payment_counts_once() public {
        ReentrantToken hostile = new ReentrantToken();
        Deal memory outer = tokenDeal(address(hostile));
        open(outer);
        address first = diamond;
        useDiamond(registry.createDiamond(NODE, bytes16(uint128(0x33))));
        Deal memory inner = tokenDeal(address(hostile));
        inner.payer = address(hostile);
        open(inner);
        hostile.mint(buyer, 1e12);
        hostile.mint(address(hostile), 1e12);
        hostile.approveFromHere(diamond);
        vm.prank(buyer);
        hostile.approve(first, type(uint256).max);
        hostile.arm(diamond, abi.encodeCall(IDealFacet.payToken, (inner)));
        useDiamond(first);
        expectUnpaid(outer, abi.encodeWithSelector(IDealFacet.InexactTransfer.selector, 2 * outer.amount, outer.amount));
        assertEq(hostile.balanceOf(payee), 0);
    }

    function testFuzz_payee_gets_exactly_the_amount(uint256 dealId, uint256 amount, uint256 life, bool personal)
        public
    {
        Deal memory deal = tokenDeal();
        deal.dealId = dealId;
        deal.amount = bound(amount, 1, 1e30);
        deal.expiresAt = block.timestamp + bound(life, 1, 365 days);
        if (personal) deal.payer = buyer;
        open(deal);
        vm.prank(buyer);
        deals.payToken(deal);
        assertEq(token.balanceOf(payee), deal.amount);
        assertEq(token.balanceOf(buyer), 1e30 - deal.amount);
        assertEq(token.balanceOf(diamond), 0);
    }
}
