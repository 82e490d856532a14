// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IOfferFacet} from "../../contracts/interfaces/IOfferFacet.sol";
import {TestToken} from "../../contracts/mocks/TestToken.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract PayOfferedTokenWithPermitTest is CaratTest {
    function setUp() public override {
        super.setUp();
        vm.prank(buyer);
        token.approve(diamond, 0);
    }

    function pay(Offer memory offer, Permit memory permit) internal {
        vm.prank(buyer);
        offers.payOfferedTokenWithPermit(
            offer.deal, offer.validUntil, offer.r, offer.vs, permit.deadline, permit.v, permit.r, permit.s
        );
    }

    function test_pays_without_an_approval_beforehand() public {
        Deal memory deal = tokenDeal();
        Offer memory offer = offerOf(deal);
        Permit memory permit = permitOf(deal.amount);
        bytes32 terms = deals.termsHash(deal);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.DealPaid(ID, terms, buyer, address(token), payee, deal.amount);
        pay(offer, permit);
        assertEq(wordOf(ID), word(terms, 2));
        assertEq(token.balanceOf(payee), deal.amount);
        assertEq(token.allowance(buyer, diamond), 0);
    }

    function test_permit_used_up_by_somebody_else_does_no_harm() public {
        Deal memory deal = tokenDeal();
        Permit memory permit = permitOf(deal.amount);
        vm.prank(stranger);
        token.permit(buyer, diamond, deal.amount, permit.deadline, permit.v, permit.r, permit.s);
        pay(offerOf(deal), permit);
        assertEq(token.balanceOf(payee), deal.amount);
    }

    function test_bad_permit_without_allowance_reverts() public {
        Offer memory offer = offerOf(tokenDeal());
        Permit memory permit = permitOf(offer.deal.amount - 1);
        vm.expectRevert(
            abi.encodeWithSelector(TestToken.ERC20InsufficientAllowance.selector, diamond, 0, offer.deal.amount)
        );
        pay(offer, permit);
        assertEq(wordOf(ID), 0);
    }

    function test_failed_payment_leaves_the_permit_unused() public {
        Offer memory offer = offerOf(tokenDeal());
        Permit memory permit = permitOf(offer.deal.amount);
        offer.validUntil += 1;
        vm.prank(buyer);
        (bool ok, bytes memory answer) = diamond.call(
            abi.encodeCall(
                IOfferFacet.payOfferedTokenWithPermit,
                (offer.deal, offer.validUntil, offer.r, offer.vs, permit.deadline, permit.v, permit.r, permit.s)
            )
        );
        assertFalse(ok);
        assertEq(bytes4(answer), IOfferFacet.NotSigner.selector);
        assertEq(token.nonces(buyer), 0);
    }

    function test_reverts_when_deal_is_in_native_coin() public {
        Offer memory offer = offerOf(nativeDeal());
        Permit memory permit = permitOf(offer.deal.amount);
        vm.expectRevert(abi.encodeWithSelector(IDealFacet.WrongToken.selector, address(0)));
        pay(offer, permit);
    }
}
