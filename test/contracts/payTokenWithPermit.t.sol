// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {FallbackToken, GreedyPermitToken} from "../../contracts/mocks/HostileTokens.sol";
import {TestToken} from "../../contracts/mocks/TestToken.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract PayTokenWithPermitTest is CaratTest {
    function setUp() public override {
        super.setUp();
        vm.prank(buyer);
        token.approve(diamond, 0);
    }

    function pay(address payer, Deal memory deal, Permit memory permit) internal {
        vm.prank(payer);
        deals.payTokenWithPermit(deal, permit.deadline, permit.v, permit.r, permit.s);
    }

    function test_pays_without_an_approval_beforehand() public {
        Deal memory deal = tokenDeal();
        open(deal);
        bytes32 terms = deals.termsHash(deal);
        Permit memory permit = permitOf(buyer, buyerKey, deal.amount);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.DealPaid(ID, terms, buyer, address(token), payee, deal.amount);
        pay(buyer, deal, permit);
        assertEq(wordOf(ID), word(terms, 2));
        assertEq(token.balanceOf(payee), deal.amount);
        assertEq(token.allowance(buyer, diamond), 0);
    }

    function test_permit_used_up_by_somebody_else_does_no_harm() public {
        Deal memory deal = tokenDeal();
        open(deal);
        Permit memory permit = permitOf(buyer, buyerKey, deal.amount);
        vm.prank(stranger);
        token.permit(buyer, diamond, deal.amount, permit.deadline, permit.v, permit.r, permit.s);
        pay(buyer, deal, permit);
        assertEq(token.balanceOf(payee), deal.amount);
    }

    function test_permit_of_another_pays_nothing() public {
        Deal memory deal = tokenDeal();
        open(deal);
        Permit memory permit = permitOf(buyer, buyerKey, deal.amount);
        // A stranger takes the buyer's permit out of the mempool and calls with it: it is the stranger who would pay.
        vm.expectRevert(abi.encodeWithSelector(TestToken.ERC20InsufficientAllowance.selector, diamond, 0, deal.amount));
        pay(stranger, deal, permit);
        assertEq(token.balanceOf(buyer), 1e30);
    }

    function test_bad_permit_without_allowance_reverts() public {
        Deal memory deal = tokenDeal();
        open(deal);
        (, uint256 otherKey) = makeAddrAndKey("other");
        Permit memory permit = permitOf(buyer, otherKey, deal.amount);
        vm.expectRevert(abi.encodeWithSelector(TestToken.ERC20InsufficientAllowance.selector, diamond, 0, deal.amount));
        pay(buyer, deal, permit);
    }

    function test_expired_permit_with_allowance_pays() public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.prank(buyer);
        token.approve(diamond, deal.amount);
        Permit memory permit = permitOf(buyer, buyerKey, deal.amount);
        permit.deadline = block.timestamp - 1;
        pay(buyer, deal, permit);
        assertEq(token.balanceOf(payee), deal.amount);
    }

    function test_token_without_permit_pays_by_allowance() public {
        FallbackToken plain = new FallbackToken();
        Deal memory deal = tokenDeal(address(plain));
        open(deal);
        plain.mint(buyer, deal.amount);
        vm.prank(buyer);
        plain.approve(diamond, deal.amount);
        pay(buyer, deal, Permit(0, 0, 0, 0));
        assertEq(plain.balanceOf(payee), deal.amount);
        assertEq(plain.swallowed(), 1);
    }

    function test_permit_that_burns_its_gas_leaves_enough_to_pay() public {
        GreedyPermitToken greedy = new GreedyPermitToken();
        Deal memory deal = tokenDeal(address(greedy));
        open(deal);
        greedy.mint(buyer, deal.amount);
        vm.prank(buyer);
        deals.payTokenWithPermit{gas: 10_000_000}(deal, 0, 0, 0, 0);
        assertEq(greedy.balanceOf(payee), deal.amount);
    }

    function test_reverts_when_paused_expired_cancelled_or_bound() public {
        Deal memory deal = tokenDeal();
        open(deal);
        pause();
        vm.expectRevert(IDealFacet.Paused.selector);
        pay(buyer, deal, Permit(0, 0, 0, 0));
        vm.prank(root);
        registry.setPaused(false);

        vm.warp(deal.expiresAt);
        vm.expectRevert(abi.encodeWithSelector(IDealFacet.DealExpired.selector, ID, deal.expiresAt, deal.expiresAt));
        pay(buyer, deal, Permit(0, 0, 0, 0));

        Deal memory personal = tokenDeal();
        personal.dealId = ID + 1;
        personal.payer = stranger;
        open(personal);
        vm.expectRevert(abi.encodeWithSelector(IDealFacet.NotPayer.selector, buyer, stranger));
        pay(buyer, personal, Permit(0, 0, 0, 0));

        cancel(ID);
        bytes32 held = wordOf(ID);
        vm.expectRevert(abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, held));
        pay(buyer, deal, Permit(0, 0, 0, 0));
    }

    function test_reverts_when_deal_is_in_native_coin() public {
        Deal memory deal = nativeDeal();
        open(deal);
        vm.expectRevert(abi.encodeWithSelector(IDealFacet.WrongToken.selector, address(0)));
        pay(buyer, deal, Permit(0, 0, 0, 0));
    }

    function test_failed_payment_leaves_the_permit_unused() public {
        Deal memory deal = tokenDeal();
        deal.amount = 2e30;
        open(deal);
        Permit memory permit = permitOf(buyer, buyerKey, deal.amount);
        vm.expectRevert(abi.encodeWithSelector(TestToken.ERC20InsufficientBalance.selector, buyer, 1e30, deal.amount));
        pay(buyer, deal, permit);
        assertEq(token.nonces(buyer), 0);
        assertEq(token.allowance(buyer, diamond), 0);
    }

    function testFuzz_garbage_permit_never_pays(uint256 deadline, uint8 v, bytes32 r, bytes32 s) public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.expectRevert(abi.encodeWithSelector(TestToken.ERC20InsufficientAllowance.selector, diamond, 0, deal.amount));
        pay(buyer, deal, Permit(deadline, v, r, s));
    }
}
